/* Quantiles of Student's distribution, for 95 % intervals from few observations. Pure; thread-safe. */
#ifndef PCOMP_T_QUANTILE_H
#define PCOMP_T_QUANTILE_H

#define PCOMP_NORMAL_95 1.959964 /* half-width of the 95 % interval of a normal distribution, standard deviations */

/* The half-width of the 95 % interval in standard errors: the 97.5 % quantile of t with `degrees` of freedom, 1 or
 * more, not necessarily whole; 12.7 to 1.96. Within 0.5 % from 1.5 on, and up to 9 % too great before. Fewer than 1
 * count as 1. */
double pcomp_t_quantile(double degrees);

#endif
