/*
 * A folder for one test, and a look into it.
 */
#ifndef SHARDPROOF_TESTS_REPORT_FOLDER_H
#define SHARDPROOF_TESTS_REPORT_FOLDER_H

/* Makes a folder under $TMPDIR; ends the test where it cannot. To be freed with bson_free. */
char *folder_new(void);

/* Removes `folder` with all in it, and frees it. */
void folder_remove(char *folder);

/* FOLDER/NAME, to be freed with bson_free. */
char *folder_path(const char *folder, const char *name);

/* How many entries FOLDER/NAME has, hidden ones too; -1 where there is no such folder. */
int folder_entries(const char *folder, const char *name);

/* What is in FOLDER/NAME, or NULL; to be freed with bson_free. */
char *folder_read(const char *folder, const char *name);

/* Makes FOLDER/NAME hold `text`. */
void folder_put(const char *folder, const char *name, const char *text);

#endif
