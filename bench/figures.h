/*
 * How benchmarks print what they measured in several rounds.
 */
#ifndef SHARDPROOF_FIGURES_H
#define SHARDPROOF_FIGURES_H

/* One row: lowest, median and highest of `figures`, which is sorted. `format` is "number" or
 * "ratio". */
void sp_print_figures(const char *what, double *figures, unsigned count, const char *format);

#endif
