#include "figures.h"

#include <stdio.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

void sp_print_figures(const char *what, double *figures, unsigned count, const char *format)
{
    qsort(figures, count, sizeof *figures, by_size);
    printf("%-36s", what);
    for (unsigned i = 0; i < 3; i++) {
        char cell[32];
        snprintf(cell, sizeof cell, format[0] == 'r' ? "%.2f" : "%.0f",
                 figures[i == 0   ? 0
                         : i == 1 ? count / 2
                                  : count - 1]);
        printf(" %12s", cell);
    }
    printf("\n");
}
