/* Signals that end the command: from before the temporary directory is made until it is removed, they end the replay in
 * an orderly way. Of the whole process, as signals are. */
#ifndef PCOMP_ENDING_SIGNALS_H
#define PCOMP_ENDING_SIGNALS_H

void ending_signals_take(void);

/* Gives the program its actions back; nothing where they were not taken. */
void ending_signals_return(void);

#endif
