/* Exact integer geometry of hex maps, for generated modules.
 *
 * Each function gives the same answer as the Python function of the same name in grognard.geometry,
 * which documents the meaning.  Only grog_lines_build allocates memory; grog_lines_free gives it back.
 *
 *   hexes.h   maps of hexes, directions, cells, arcs
 *   lines.h   lines between hexes and the table of them, sight
 *   graphs.h  areas, heap, matching
 */
#ifndef GROGNARD_GEOMETRY_H
#define GROGNARD_GEOMETRY_H

#include "hexes.h"
#include "lines.h"
#include "graphs.h"

#endif
