/* Cells that a run changes, so that the next one starts from the same position. */
#include <stdint.h>
#include <stdlib.h>

static struct {
    int32_t *cell, was;
} kept[1024];
static int kept_count;

static inline void put(int32_t *cell, int value) {
    if (kept_count == 1024) abort();
    kept[kept_count].cell = cell;
    kept[kept_count++].was = *cell;
    *cell = value;
}

static inline void take_back(void) {
    while (kept_count) {
        kept_count--;
        *kept[kept_count].cell = kept[kept_count].was;
    }
}
