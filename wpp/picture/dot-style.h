/* SPDX-License-Identifier: MIT */
/* dot-style.h - what all pictures in Graphviz' language share: text in its HTML, colours, the legend. */
#ifndef WPP_DOT_STYLE_H
#define WPP_DOT_STYLE_H

#include <stdint.h>
#include <stdio.h>

#include "wpp/wpp.h"

/* Edges with a smaller share of the cost are not drawn where something else shows their target. */
#define LEAST_FLOW 0.003

/* ---- Text, escaped ---- */

/* At most `most` characters of s; `…` stands for the rest. */
void dot_put_text(FILE *out, const char *s, size_t most);
/* The name of a file without its folders. */
const char *dot_base_name(const char *path);
/* A routine's name in about `most` characters. */
void dot_put_routine(FILE *out, const struct wpp_routine *routine, size_t most);
/* 1,234,567 */
void dot_put_number(FILE *out, uint64_t n);
/* 12 % */
void dot_put_share(FILE *out, double share);

/* ---- Looks ---- */

struct dot_colour { const char *fill, *text; };

/* Of a node with this share. */
struct dot_colour dot_colour(double share);
/* `penwidth=..., color=..., weight=...` of an edge: wider and darker with its share. */
void dot_put_flow(FILE *out, double flow);

/* Cells of a row that explains the colours. */
void dot_put_ramp(FILE *out);
/* The head of a digraph up to its default looks; it is ended by `}`. */
void dot_put_head(FILE *out, bool ordered);
/* What was recorded and how much of it: `command`, then `events, instructions, ...`. */
void dot_put_command(FILE *out, const wpp *w);

#endif
