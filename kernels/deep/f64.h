/* The pixels of kernels/deep in f64 for kernels, without templates. Needs kernels/deep/image.h and
 * what kernels/deep/scaled.h and kernels/deep/jumps.h need of the entry file. Compile without
 * contraction. */

#define TS_OF_NUMBERS
#define TS_NUMBER double
#define TS_TO_NUMBER(v) (v)
#define TS_DEFAULT(value)
#define TS_COMPLEX struct TsScaledComplex
#define TS_NODE struct TsJumpNode
#define TS_ENTRY struct TsJumpEntry
#define TS_PAIR struct TsPair
#define TS_KEPT struct TsKeptPhase
#define TS_PIXEL struct TsPixelOf
#define TS_SCALED_NODE struct TsScaledNode
#define TS_SCALED_ENTRY struct TsScaledEntry
#define TS_JUMPS struct TsJumps
#define TS_PHASE struct TsScaledPhase
#define tn_add(a, b) ((a) + (b))
#define tn_sub(a, b) ((a) - (b))
#define tn_mul(a, b) ((a) * (b))
#define tn_mul_f64(a, b) ((a) * (b))
#define TS_OF_PARTS(a, a_low) (a)
#define TS_PRODUCT(a, a_low, b, b_low) ts_product_of_parts(a, a_low, b, b_low)
#define tn_plus(a, b) ((a) + (b))
#define tn_twice_plus(a, b) ts_fma(2.0, a, b)
#define tn_products(a, b, c, d) ts_fma(a, b, (c) * (d))
#define tn_products_plus(a, b, c, d, e) ts_fma(a, b, ts_fma(c, d, e))
#define tn_scaled(a, power) ((a) * (power))
#define tn_equal(a, b) ((a) == (b))
#define tn_above(z, radius2, bailout2) ((radius2) - (bailout2))
#define tn_escapes(z, above, radius2, bailout2) (!((radius2) <= (bailout2)))
#define tn_near(z) TS_DEEP_NEAR
#define tn_absolute_difference(r, d, scale) ts_scaled_difference_of(r, d, scale)
#define tn_neg(a) (-(a))
#define tn_leading(a) (a)
#define tn_part_value(part, e) ts_part_value(part, e)
#define tn_node_re(node) ((node).re)
#define tn_node_im(node) ((node).im)
#define tn_quiet_steps ts_quiet_steps

/* clang-format off */
#include "kernels/deep/scaled.h"
#include "kernels/deep/pairs.h"
#include "kernels/deep/jumps.h"
#include "kernels/deep/slopes.h"
#include "kernels/deep/difference.h"
#include "kernels/deep/quiet_steps.h"
#include "kernels/deep/advance.h"
#include "kernels/deep/scaled_step.h"
#include "kernels/deep/offset.h"
#include "kernels/deep/scaled_phase.h"
#include "kernels/deep/paused_phase.h"
/* clang-format on */
