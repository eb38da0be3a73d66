/**
 * A Node flag with which SIGUSR1 opens no inspector. An inspector would run the code of anybody who reaches its port. The signal stays pending across
 * exec, so a program that replaces this process needs the flag as well.
 */
export const NO_INSPECTOR = '--disable-sigusr1';
