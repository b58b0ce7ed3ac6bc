/* The run time of generated engines: everything that emitted code calls, in headers of one job each.
 *
 * All of it is `static`: each file of an engine is one translation unit, in which the compiler sees every body.  So the order
 * is that of definition before use, from what all others stand on to what stands on all others, and the text of the headers
 * together is one program.  Each header includes what it uses, and can be read and compiled by itself.
 *
 * What is not listed here (outcomes.h, dice_pools.h, transition_cache.h, attrition*.h, rollout.h) is included by the binding
 * alone, so that a change to it builds no title anew.
 */
#ifndef GROGNARD_ENGINE_H
#define GROGNARD_ENGINE_H

#include "geometry.h"        /* exact geometry of hex maps */
#include "context.h"         /* constants, data block, program, context of a run, failures */
#include "arena.h"           /* temporary sets, lists and elements of loops */
#include "budget.h"          /* steps, entering and leaving functions */
#include "memo.h"            /* memoised values and their validity */
#include "arith.h"           /* checked arithmetic and indexes */
#include "sets.h"            /* sets, lists, tables */
#include "trace.h"           /* trace records */
#include "dice.h"            /* generator and rolls */
#include "spaces.h"          /* spaces of places, neighbours */
#include "map_queries.h"     /* distances, directions, arcs, lines */
#include "map_sources.h"     /* places that loops run over */
#include "loops.h"           /* passes of loops */
#include "scan.h"            /* filtered scans of a domain, inverted indexes of fields */
#include "prefilter.h"       /* which elements can pass a filter at all */
#include "bitboard.h"        /* predicates of all places of a small grid at once */
#include "direction_bits.h"  /* predicates of all directions of a place at once */
#include "writes.h"          /* writes to a position: limits, journal, undo log */
#include "journal.h"         /* simultaneous blocks */
#include "matching.h"        /* bipartite matching */
#include "meeting.h"         /* hosts that choose their site */
#include "movement.h"        /* least cost of reaching places */
#include "frames.h"          /* the stack of frames */
#include "decisions.h"       /* candidates and answers */
#include "driver.h"          /* from one decision to the next; hypotheticals */
#include "batch.h"           /* playouts, samples, perft */
#include "lifecycle.h"       /* making and freeing a context */

#endif
