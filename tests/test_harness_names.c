/* Links all libraries whole; see harness.cmake. That it could be linked is the test. */
#include "../harness/area.h"

int main(void)
{
    unsigned count;
    return sp_areas(&count) != NULL && count > 0 ? 0 : 1;
}
