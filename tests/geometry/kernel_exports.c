/* The kernel's inline functions as symbols of a shared library, so that tests can call them. */
#include "geometry.h"

grog_map *t_map(int32_t n, int32_t orientation, const int32_t *q, const int32_t *r, const int32_t *neighbours,
                int32_t qmin, int32_t rmin, int32_t width, int32_t height, const int32_t *grid) {
    grog_map *m = (grog_map *)malloc(sizeof(grog_map));
    grog_map_init(m, n, orientation, q, r, neighbours, qmin, rmin, width, height, grid);
    return m;
}
void t_map_free(grog_map *m) {
    grog_lines_free(m);
    free(m);
}
int32_t t_lines_build(grog_map *m, int32_t max_range) { return grog_lines_build(m, max_range); }

int32_t t_opposite(int32_t d) { return grog_opposite(d); }
int32_t t_turned(int32_t d, int32_t steps) { return grog_turned(d, steps); }
int32_t t_turns_between(int32_t d1, int32_t d2) { return grog_turns_between(d1, d2); }
int32_t t_at(const grog_map *m, int32_t q, int32_t r) { return grog_at(m, q, r); }
int32_t t_distance(const grog_map *m, int32_t a, int32_t b) { return grog_distance(m, a, b); }
int32_t t_neighbour(const grog_map *m, int32_t a, int32_t d) { return grog_neighbour(m, a, d); }
int32_t t_direction(const grog_map *m, int32_t a, int32_t b) { return grog_direction(m, a, b); }
int32_t t_straight(const grog_map *m, int32_t a, int32_t b) { return grog_straight(m, a, b); }
int32_t t_toward(const grog_map *m, int32_t a, int32_t d, int32_t n) { return grog_toward(m, a, d, n); }
int32_t t_ray(const grog_map *m, int32_t a, int32_t d, int32_t n, int32_t *out) { return grog_ray(m, a, d, n, out); }
int32_t t_within(const grog_map *m, int32_t a, int32_t n, int32_t *out) { return grog_within(m, a, n, out); }
int32_t t_arc_place(const grog_map *m, int32_t a, int32_t facing, int32_t degrees, int32_t b) {
    return grog_arc_place(m, a, facing, degrees, b);
}
int32_t t_vertex_arc_place(const grog_map *m, int32_t a, int32_t vertex, int32_t degrees, int32_t b) {
    return grog_vertex_arc_place(m, a, vertex, degrees, b);
}
int32_t t_line_len(const grog_map *m, int32_t a, int32_t b) { return grog_line_len(m, a, b); }
int32_t t_line_item(const grog_map *m, int32_t a, int32_t b, int32_t i, int32_t *out) {
    return grog_line_item(m, a, b, i, &out[0], &out[1], &out[2]);
}
int32_t t_crossing_len(const grog_map *m, int32_t a, int32_t b) { return grog_crossing_len(m, a, b); }
int32_t t_crossing_item(const grog_map *m, int32_t a, int32_t b, int32_t i, int32_t *out) {
    return grog_crossing_item(m, a, b, i, &out[0], &out[1], &out[2]);
}
int32_t t_sight_simple(const grog_map *m, const int32_t *blocks, int32_t a, int32_t b, int32_t policy) {
    return grog_sight_simple(m, blocks, a, b, policy);
}
int32_t t_area_distance(int32_t n, const int32_t *starts, const int32_t *exits, int32_t a, int32_t b,
                        int32_t *scratch) {
    return grog_area_distance(n, starts, exits, a, b, scratch);
}
int32_t t_match_scratch(int32_t left, int32_t right) { return grog_match_scratch(left, right); }
int32_t t_match(int32_t left, int32_t right, const uint32_t *rows, const int32_t *room, int32_t *assigned,
                int32_t *scratch) {
    return grog_match(left, right, rows, room, assigned, scratch);
}
int32_t t_matchable(int32_t left, int32_t right, const uint32_t *rows, const int32_t *need, int32_t *scratch) {
    return grog_matchable(left, right, rows, need, scratch);
}

/* Pushes all pairs, then pops all of them. */
int32_t t_heap_sort(int32_t n, const int32_t *keys, const int32_t *nodes, int32_t *room_keys,
                    int32_t *room_nodes, int32_t *out_keys, int32_t *out_nodes) {
    grog_heap h;
    int32_t count = 0;
    grog_heap_init(&h, n, room_keys, room_nodes);
    for (int32_t i = 0; i < n; i++)
        if (!grog_heap_push(&h, keys[i], nodes[i])) return -1;
    if (grog_heap_push(&h, 0, 0)) return -1;
    while (grog_heap_pop(&h, &out_keys[count], &out_nodes[count])) count++;
    return count;
}

/* How many of the pairs see each other. */
int32_t t_sight_count(const grog_map *m, const int32_t *blocks, int32_t n, const int32_t *pairs, int32_t policy) {
    int32_t seen = 0;
    for (int32_t i = 0; i < n; i++) seen += grog_sight_simple(m, blocks, pairs[2 * i], pairs[2 * i + 1], policy);
    return seen;
}
