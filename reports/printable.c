#include "printable.h"

#include "escape.h"

char *sp_printable(const char *text, size_t max)
{
    char *clean = sp_utf8_clean(text, max);
    for (char *p = clean; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
        else if (p[0] == '\xc2' && (unsigned char)p[1] < 0xa0)
            p[0] = p[1] = ' ';
    }
    return clean;
}
