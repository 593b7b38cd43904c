/* Student's t distribution: how improbable a value is.
 *
 * Pure arithmetic in double precision; thread-safe. Relative error below 1e-9. */
#ifndef PCOMP_STUDENT_TAIL_H
#define PCOMP_STUDENT_TAIL_H

/* Probability that |T| of so many degrees of freedom (more than 0, not only whole; INFINITY: the normal distribution)
 * is t or more; 1 where t or degrees are not a number. */
double pcomp_student_tail(double t, double degrees);

#endif
