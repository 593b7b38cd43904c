/* The verbs of the pcomp command. Each gets its own name as argv[0] and returns the exit status. */
#ifndef PCOMP_COMMAND_H
#define PCOMP_COMMAND_H

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* one line, for the help */
};

int cmd_record(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_consult(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_flags(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_tui(int argc, char **argv);

#endif
