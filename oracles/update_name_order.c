#include "update_name_order.h"

#include <ctype.h>
#include <string.h>

int sp_update_name_compare(const char *a, const char *b)
{
    if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b))
        return strcmp(a, b);
    const char *a_rest = a + strspn(a, "0"), *b_rest = b + strspn(b, "0");
    size_t a_size = strlen(a_rest), b_size = strlen(b_rest);
    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    int order = strcmp(a_rest, b_rest);
    return order != 0 ? order : strcmp(a, b);
}
