/**
 * Node flag: SIGUSR1 opens no inspector, which would run the code of anybody who reaches its port. The signal stays pending across exec, so
 * a program that replaces this process needs the flag too.
 */
export const NO_INSPECTOR = '--disable-sigusr1';
