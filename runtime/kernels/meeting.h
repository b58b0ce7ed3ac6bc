/* Who can be met: hosts go to one site each, guests come to them.  geometry/meeting.py explains the search and is the model of it:
 * both make the same matchings in the same order, because each of them costs a step. */
#ifndef GROGNARD_MEETING_H
#define GROGNARD_MEETING_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "budget.h"
#include "sets.h"

typedef struct grog_meet {
    int64_t guests, hosts, site_words;
    int32_t *guest, *host, *room;
    int32_t *guest_at, *host_at; /* guests, hosts * site_words: the sites of each */
    int64_t words;               /* of a set of guests */
    int32_t *option;             /* sets of guests: whom a host could meet at each of its sites, host after host */
    int32_t *first;              /* by host: its first option */
} grog_meet;

static inline grog_meet *grog_meet_new(grog_ctx *ctx, const int32_t *guests, int64_t guest_words, int64_t guest_base,
                                       const int32_t *hosts, int64_t host_words, int64_t host_base, int64_t site_words) {
    int64_t a = grog_set_count(guests, guest_words), b = grog_set_count(hosts, host_words);
    int64_t head = (int64_t)(sizeof(grog_meet) + 3) / 4 + 2;
    int32_t *room = ctx->fail ? NULL : grog_alloc(ctx, head + a + 2 * b + (a + b) * site_words);
    if (!room) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        room = ctx->spare;
        a = b = 0;
    }
    grog_meet *meet = (grog_meet *)(room + ((uintptr_t)room % 8 != 0));
    memset(meet, 0, sizeof *meet);
    meet->guests = a;
    meet->hosts = b;
    meet->site_words = site_words;
    meet->words = (a + 31) / 32;
    meet->guest = room + head;
    meet->host = meet->guest + a;
    meet->room = meet->host + b;
    meet->guest_at = meet->room + b;
    meet->host_at = meet->guest_at + a * site_words;
    if (a == 0 && b == 0) return meet;
    int64_t at = 0;
    for (int64_t i = grog_set_scan(guests, guest_words, 0); i >= 0; i = grog_set_scan(guests, guest_words, i + 1))
        meet->guest[at++] = (int32_t)(i + guest_base);
    at = 0;
    for (int64_t i = grog_set_scan(hosts, host_words, 0); i >= 0; i = grog_set_scan(hosts, host_words, i + 1))
        meet->host[at++] = (int32_t)(i + host_base);
    return meet;
}

/* Some of the hosts, with the options that each has left: from[h] ... to[h] - 1 of its own, by the number of the host. */
typedef struct grog_hosts {
    int64_t count;
    const int32_t *number;
    const int32_t *from, *to;
} grog_hosts;

static inline const int32_t *grog_meet_option(const grog_meet *meet, int32_t host, int32_t option) {
    return meet->option + ((int64_t)meet->first[host] + option) * meet->words;
}

static inline int32_t grog_meet_touches(const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++)
        if (a[i] & b[i]) return 1;
    return 0;
}

/* Whom a host could meet at any of its sites. */
static inline void grog_meet_any_site(const grog_meet *meet, const grog_hosts *some, int32_t host, int32_t *into) {
    memset(into, 0, (size_t)meet->words * 4);
    for (int32_t i = some->from[host]; i < some->to[host]; i++)
        grog_set_union(into, into, grog_meet_option(meet, host, i), meet->words);
}

/* The matching in which every host is at all its sites at once; `met` gets the guests of each host. */
static inline int32_t grog_meet_relaxed(grog_ctx *ctx, const grog_meet *meet, const grog_hosts *some, int32_t *met, int32_t site) {
    if (ctx->fail || !grog_step(ctx, site)) return 0;
    int64_t n = some->count, words = meet->words, row_words = grog_match_words((int32_t)n);
    int32_t *mark = grog_mark(ctx);
    int64_t scratch = grog_match_scratch((int32_t)meet->guests, (int32_t)n);
    int32_t *reach = grog_rooms(ctx, (n + 1) * words + n + 2 * meet->guests + meet->guests * row_words + scratch);
    if (!reach) return 0;
    int32_t *everyone = reach + n * words, *slots = everyone + words, *guest = slots + n;
    int32_t *assigned = guest + meet->guests, *rows = assigned + meet->guests, *room = rows + meet->guests * row_words;
    memset(everyone, 0, (size_t)words * 4);
    for (int64_t j = 0; j < n; j++) {
        grog_meet_any_site(meet, some, some->number[j], reach + j * words);
        grog_set_union(everyone, everyone, reach + j * words, words);
        slots[j] = meet->room[some->number[j]];
    }
    int32_t guests = 0;
    for (int64_t i = grog_set_scan(everyone, words, 0); i >= 0; i = grog_set_scan(everyone, words, i + 1))
        guest[guests++] = (int32_t)i;
    memset(rows, 0, (size_t)(guests * row_words) * 4);
    for (int32_t i = 0; i < guests; i++)
        for (int64_t j = 0; j < n; j++)
            if ((uint32_t)reach[j * words + guest[i] / 32] >> (guest[i] % 32) & 1u)
                rows[i * row_words + j / 32] |= (int32_t)(1u << (j % 32));
    int32_t size = grog_match(guests, (int32_t)n, (const uint32_t *)rows, slots, assigned, room);
    memset(met, 0, (size_t)(n * words) * 4);
    for (int32_t i = 0; i < guests; i++)
        if (assigned[i] >= 0) met[assigned[i] * words + guest[i] / 32] |= (int32_t)(1u << (guest[i] % 32));
    grog_release(ctx, mark);
    return size;
}

static int32_t grog_meet_most(grog_ctx *ctx, const grog_meet *meet, const grog_hosts *some, int32_t floor, int32_t site);

/* Whether two hosts have the same room and meet the same guests at their sites. */
static inline int32_t grog_meet_alike(const grog_meet *meet, const grog_hosts *some, int32_t a, int32_t b) {
    int32_t count = some->to[a] - some->from[a];
    return meet->room[a] == meet->room[b] && count == some->to[b] - some->from[b] &&
           memcmp(grog_meet_option(meet, a, some->from[a]), grog_meet_option(meet, b, some->from[b]),
                  (size_t)(count * meet->words) * 4) == 0;
}

/* Hosts that cannot be parted, with their matching: the greatest number if it is above the floor, otherwise one that is not. */
static inline int32_t grog_meet_part(grog_ctx *ctx, const grog_meet *meet, const grog_hosts *part, int32_t size,
                                     const int32_t *met, int32_t floor, int32_t site) {
    int64_t torn = 0;
    for (; torn < part->count; torn++) {
        int32_t host = part->number[torn], one = 0;
        for (int32_t i = part->from[host]; i < part->to[host] && !one; i++)
            one = grog_set_subset(met + torn * meet->words, grog_meet_option(meet, host, i), meet->words);
        if (!one) break;
    }
    if (torn == part->count) return size;
    int32_t *mark = grog_mark(ctx), *from = grog_rooms(ctx, 2 * meet->hosts), best = floor, host = part->number[torn];
    if (!from) return 0;
    int32_t *to = from + meet->hosts;
    for (int32_t place = part->from[host]; place < part->to[host] && !ctx->fail; place++) {
        grog_hosts tried = {part->count, part->number, from, to};
        for (int64_t j = 0; j < part->count; j++) {
            int32_t other = part->number[j];
            from[other] = part->from[other];
            to[other] = part->to[other];
            if (other != host && grog_meet_alike(meet, part, host, other)) from[other] += place - part->from[host];
        }
        from[host] = place;
        to[host] = place + 1;
        int32_t found = grog_meet_most(ctx, meet, &tried, best, site);
        if (found > best) best = found;
        if (best >= size) break;
    }
    grog_release(ctx, mark);
    return best;
}

/* Any hosts: what does not touch is solved by itself. */
static int32_t grog_meet_most(grog_ctx *ctx, const grog_meet *meet, const grog_hosts *some, int32_t floor, int32_t site) {
    int64_t n = some->count, words = meet->words;
    int32_t *mark = grog_mark(ctx), *reach = grog_rooms(ctx, 2 * n * words + words + 4 * n + 1);
    if (!reach) return 0;
    int32_t *met = reach + n * words, *seen = met + n * words, *order = seen + words;
    int32_t *starts = order + n, *sizes = starts + n + 1, *inside = sizes + n, parts = 0, total = 0;
    int64_t placed = 0;
    for (int64_t j = 0; j < n; j++) {
        grog_meet_any_site(meet, some, some->number[j], reach + j * words);
        inside[j] = 0;
    }
    for (int64_t first = 0; first < n; first++) {
        if (inside[first]) continue;
        int32_t grown = 1;
        inside[first] = 1;
        memcpy(seen, reach + first * words, (size_t)words * 4);
        while (grown) {
            grown = 0;
            for (int64_t j = 0; j < n; j++)
                if (!inside[j] && grog_meet_touches(reach + j * words, seen, words)) {
                    inside[j] = grown = 1;
                    grog_set_union(seen, seen, reach + j * words, words);
                }
        }
        starts[parts++] = (int32_t)placed;
        for (int64_t j = 0; j < n; j++)
            if (inside[j] == 1) {
                order[placed++] = some->number[j];
                inside[j] = 2;
            }
    }
    starts[parts] = (int32_t)placed;
    for (int32_t k = 0; k < parts; k++) {
        grog_hosts part = {starts[k + 1] - starts[k], order + starts[k], some->from, some->to};
        total += sizes[k] = grog_meet_relaxed(ctx, meet, &part, met + starts[k] * words, site);
    }
    for (int32_t k = 0; k < parts && total > floor && !ctx->fail; k++) {
        grog_hosts part = {starts[k + 1] - starts[k], order + starts[k], some->from, some->to};
        total += grog_meet_part(ctx, meet, &part, sizes[k], met + starts[k] * words, floor - (total - sizes[k]), site) - sizes[k];
    }
    grog_release(ctx, mark);
    return total;
}

/* The greatest number of guests that are met. */
static inline int32_t grog_meet_solve(grog_ctx *ctx, grog_meet *meet, int32_t site) {
    int64_t sites = meet->site_words * 32, words = meet->words, made = 0, hosts = 0;
    if (ctx->fail || meet->guests == 0 || meet->hosts == 0) return 0;
    int32_t *visitors = grog_rooms(ctx, sites * words);
    meet->first = visitors ? grog_rooms(ctx, 4 * meet->hosts) : NULL;
    if (!meet->first) return 0;
    memset(visitors, 0, (size_t)(sites * words) * 4);
    for (int64_t i = 0; i < meet->guests; i++) {
        const int32_t *at = meet->guest_at + i * meet->site_words;
        for (int64_t s = grog_set_scan(at, meet->site_words, 0); s >= 0; s = grog_set_scan(at, meet->site_words, s + 1))
            visitors[s * words + i / 32] |= (int32_t)(1u << (i % 32));
    }
    int64_t most = 0;
    for (int64_t j = 0; j < meet->hosts; j++) most += grog_set_count(meet->host_at + j * meet->site_words, meet->site_words);
    meet->option = grog_rooms(ctx, most * words + 1);
    if (!meet->option) return 0;
    int32_t *number = meet->first + meet->hosts, *from = number + meet->hosts, *to = from + meet->hosts;
    for (int64_t j = 0; j < meet->hosts; j++) {
        const int32_t *at = meet->host_at + j * meet->site_words;
        meet->first[j] = (int32_t)made;
        from[j] = to[j] = 0;
        for (int64_t s = grog_set_scan(at, meet->site_words, 0); s >= 0; s = grog_set_scan(at, meet->site_words, s + 1)) {
            const int32_t *mask = visitors + s * words;
            int32_t beaten = grog_set_count(mask, words) == 0;
            for (int64_t t = grog_set_scan(at, meet->site_words, 0); t >= 0 && !beaten; t = grog_set_scan(at, meet->site_words, t + 1)) {
                const int32_t *other = visitors + t * words;
                if (s != t && grog_set_subset(mask, other, words)) beaten = t < s || !grog_set_equal(mask, other, words);
            }
            if (!beaten) memcpy(meet->option + (made + to[j]++) * words, mask, (size_t)words * 4);
        }
        made += to[j];
        if (to[j] && meet->room[j] > 0) number[hosts++] = (int32_t)j;
    }
    grog_hosts all = {hosts, number, from, to};
    return grog_meet_most(ctx, meet, &all, -1, site);
}

#endif
