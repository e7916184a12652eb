/* The pixels of kernels/deep in 106 bits for kernels, without templates. Needs
 * kernels/deep/image.h and what kernels/deep/scaled.h and kernels/deep/jumps.h need of the entry
 * file. Compile without contraction. */

#define TS_OF_NUMBERS
#define TS_DEFAULT(value)
#define TS_NUMBER struct DoubleDouble
#define TS_TO_NUMBER(v) tn_parts(v, 0.0)
#define TS_COMPLEX struct TsScaledComplex
#define TS_NODE struct TsPreciseNode
#define TS_ENTRY struct TsPreciseJump
#define TS_PAIR struct TsPair
#define TS_KEPT struct TsKeptPhase
#define TS_PIXEL struct TsPixelOf
#define TS_SCALED_NODE struct TsScaledNode
#define TS_SCALED_ENTRY struct TsScaledEntry
#define TS_JUMPS struct TsJumps
#define TS_PHASE struct TsScaledPhase
#define tn_part_value(part, e) \
  quick_two_sum(ts_part_value((part).hi, e), ts_part_value((part).lo, e))
#define TS_OF_PARTS(a, a_low) tn_parts(a, a_low)
#define TS_PRODUCT(a, a_low, b, b_low) tn_mul(tn_parts(a, a_low), tn_parts(b, b_low))
#define tn_node_re(node) tn_parts((node).re, (node).re_low)
#define tn_node_im(node) tn_parts((node).im, (node).im_low)
#define tn_above(z, radius2, bailout2) ts_above(z, radius2, bailout2)
#define tn_escapes(z, above, radius2, bailout2) (!((above) <= 0.0))
#define tn_near(z) TS_PRECISE_NEAR
#define tn_absolute_difference(r, d, scale) ts_absolute_difference(r, d)
/* f64 would lose the bits of such a z. */
#define tn_quiet_steps(limits, nodes, most, quiet, point) ((void)&(quiet), 0)

/* clang-format off */
#include "kernels/deep/double_double.h"
#include "kernels/deep/scaled.h"
#include "kernels/deep/pairs.h"
#include "kernels/deep/jumps.h"
#include "kernels/deep/precise_jumps.h"
#include "kernels/deep/slopes.h"
#include "kernels/deep/difference.h"
#include "kernels/deep/advance.h"
#include "kernels/deep/scaled_step.h"
#include "kernels/deep/offset.h"
#include "kernels/deep/scaled_phase.h"
#include "kernels/deep/paused_phase.h"
/* clang-format on */
