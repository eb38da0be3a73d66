/**
 * A flag of Node: SIGUSR1 opens no inspector, which runs the code of whoever reaches its port. The signal stays pending, and a program that
 * the process becomes gets it, so that one needs the flag too.
 */
export const NO_INSPECTOR = '--disable-sigusr1';
