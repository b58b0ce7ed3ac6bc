/* Distances between areas, a binary heap, and bipartite matching. */
#ifndef GROGNARD_GRAPHS_H
#define GROGNARD_GRAPHS_H

#include "hexes.h"

/* ---- areas ---- */

/* Steps from a to b in a graph of areas whose exits from area i are exits[starts[i]..starts[i + 1]);
 * GROG_NONE if there is no way.  scratch has room for 2 n values. */
static inline int32_t grog_area_distance(int32_t n, const int32_t *starts, const int32_t *exits, int32_t a,
                                         int32_t b, int32_t *scratch) {
    if ((uint32_t)a >= (uint32_t)n || (uint32_t)b >= (uint32_t)n) return GROG_NONE;
    int32_t *steps = scratch, *queue = scratch + n;
    int32_t head = 0, tail = 0;
    for (int32_t i = 0; i < n; i++) steps[i] = GROG_NONE;
    steps[a] = 0;
    queue[tail++] = a;
    while (head < tail) {
        int32_t area = queue[head++];
        if (area == b) return steps[b];
        for (int32_t e = starts[area]; e < starts[area + 1]; e++) {
            if (steps[exits[e]] != GROG_NONE) continue;
            steps[exits[e]] = steps[area] + 1;
            queue[tail++] = exits[e];
        }
    }
    return GROG_NONE;
}

/* ---- heap ---- */

/* A binary heap of (key, node); the least key comes first, among equal keys the least node. */
typedef struct grog_heap {
    int32_t count, room;
    int32_t *keys, *nodes; /* the caller's arrays, with room for `room` values each */
} grog_heap;

static inline void grog_heap_init(grog_heap *h, int32_t room, int32_t *keys, int32_t *nodes) {
    h->count = 0;
    h->room = room;
    h->keys = keys;
    h->nodes = nodes;
}

static inline int32_t grog_heap_before(int32_t key1, int32_t node1, int32_t key2, int32_t node2) {
    return key1 < key2 || (key1 == key2 && node1 < node2);
}

/* Gives 1, or 0 if the heap is full. */
static inline int32_t grog_heap_push(grog_heap *h, int32_t key, int32_t node) {
    if (h->count >= h->room) return 0;
    int32_t at = h->count++;
    while (at > 0) {
        int32_t parent = (at - 1) / 2;
        if (!grog_heap_before(key, node, h->keys[parent], h->nodes[parent])) break;
        h->keys[at] = h->keys[parent];
        h->nodes[at] = h->nodes[parent];
        at = parent;
    }
    h->keys[at] = key;
    h->nodes[at] = node;
    return 1;
}

/* Takes out the first entry; gives 1, or 0 if the heap is empty. */
static inline int32_t grog_heap_pop(grog_heap *h, int32_t *key, int32_t *node) {
    if (h->count == 0) return 0;
    *key = h->keys[0];
    *node = h->nodes[0];
    int32_t last = --h->count;
    int32_t last_key = h->keys[last], last_node = h->nodes[last];
    int32_t at = 0;
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= last) break;
        if (child + 1 < last &&
            grog_heap_before(h->keys[child + 1], h->nodes[child + 1], h->keys[child], h->nodes[child]))
            child++;
        if (!grog_heap_before(h->keys[child], h->nodes[child], last_key, last_node)) break;
        h->keys[at] = h->keys[child];
        h->nodes[at] = h->nodes[child];
        at = child;
    }
    h->keys[at] = last_key;
    h->nodes[at] = last_node;
    return 1;
}

/* ---- matching ---- */

/* How many int32 values of scratch the matching functions need. */
static inline int32_t grog_match_scratch(int32_t left_count, int32_t right_count) {
    return 2 * left_count + 2 * right_count;
}

static inline int32_t grog_match_words(int32_t right_count) { return (right_count + 31) / 32; }

/* Gives as many left elements as possible a slot each; right element j has room[j] slots.  Left i may
 * use right j if bit j % 32 of rows[i * grog_match_words(right_count) + j / 32] is set.  Fills
 * assigned[i] with the right element of left i, or GROG_NONE, and gives the number of those placed. */
static inline int32_t grog_match(int32_t left_count, int32_t right_count, const uint32_t *rows,
                                 const int32_t *room, int32_t *assigned, int32_t *scratch) {
    int32_t words = grog_match_words(right_count), size = 0;
    int32_t *used = scratch, *reached_by = scratch + right_count, *queue = scratch + 2 * right_count;
    for (int32_t j = 0; j < right_count; j++) used[j] = 0;
    for (int32_t i = 0; i < left_count; i++) assigned[i] = GROG_NONE;
    for (int32_t root = 0; root < left_count; root++) {
        /* Search breadth first for a slot: a full right element sends its own left elements looking. */
        int32_t head = 0, tail = 0, slot = GROG_NONE;
        for (int32_t j = 0; j < right_count; j++) reached_by[j] = GROG_NONE;
        queue[tail++] = root;
        while (head < tail && slot == GROG_NONE) {
            int32_t left = queue[head++];
            const uint32_t *row = rows + (size_t)left * (size_t)words;
            for (int32_t j = 0; j < right_count; j++) {
                if (!((row[j / 32] >> (j % 32)) & 1u) || room[j] <= 0 || reached_by[j] != GROG_NONE) continue;
                reached_by[j] = left;
                if (used[j] < room[j]) {
                    slot = j;
                    break;
                }
                for (int32_t i = 0; i < root; i++)
                    if (assigned[i] == j) queue[tail++] = i;
            }
        }
        if (slot == GROG_NONE) continue;
        size++;
        used[slot]++;
        while (slot != GROG_NONE) {
            int32_t left = reached_by[slot], given_up = assigned[left];
            assigned[left] = slot;
            slot = given_up;
        }
    }
    return size;
}

/* Whether distinct left elements can cover need[j] slots of every right element j; rows as above. */
static inline int32_t grog_matchable(int32_t left_count, int32_t right_count, const uint32_t *rows,
                                     const int32_t *need, int32_t *scratch) {
    int32_t free_left = left_count;
    for (int32_t j = 0; j < right_count; j++) {
        if (need[j] > free_left) return 0;
        if (need[j] > 0) free_left -= need[j];
    }
    int32_t *assigned = scratch + 2 * right_count + left_count;
    return grog_match(left_count, right_count, rows, need, assigned, scratch) == left_count - free_left;
}

#endif
