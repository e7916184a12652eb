/* The bounds of an exact image's orbits (docs/numerics-exact.md), in the common subset of C++, CUDA
 * C++ and OpenCL C. A bound is the square of a distance. Members are ordered from wide to narrow,
 * so that every compiler gives them the same layout. */

/* Steps of a block: at its end, |z| is tested. */
#define TS_EXACT_BLOCK 16u
/* Steps of degree 2 for which |z|^2 is raised by one bound. */
#define TS_EXACT_QUICK 4u
/* Of 64-bit n. */
#define TS_EXACT_DIGITS 64

/* How a bound grows in a step, wherever z is (kernels/pixel/bounded_steps.h). */
typedef struct {
  double split;    /* 1 / delta */
  double growth;   /* d^2 (1 + delta)^d */
  double rounding; /* of a step, by |z|^2d */
  double anywhere; /* of a step, for all z */
} TsBoundGrowth;

/* The quick steps of blocks that begin at the same binary digit of n. `scale` times the bound is
 * what they compute; it is a power of two. */
typedef struct {
  double scale, unscaled;       /* and its inverse */
  double joins;                 /* is added to a bound that had another `scale` */
  double added[TS_EXACT_QUICK]; /* of degree 2 */
  double of_all;                /* factor after TS_EXACT_QUICK steps of degree 2 */
  double single_added;          /* of a step that stands alone */
  double of_single;
} TsQuickBound;

typedef struct {
  double bailout2;                       /* R^2 */
  double within2;                        /* blocks end within; the square of the escape radius */
  double start_relative, start_absolute; /* of the first z: the bound by |z|^2 */
  TsBoundGrowth growth;                  /* where |z| is tested after every step */
  TsBoundGrowth long_growth;             /* of numbers of 106 bits */
  double long_start;                     /* the bound of the first z of 106 bits */
  /* If `known`: after i steps, the exact |z|^2 is at most R^2 if that in f64 is at most least2[i],
   * and above R^2 if that is above most2[i]. */
  double least2[TS_EXACT_BLOCK + 1], most2[TS_EXACT_BLOCK + 1];
  TsQuickBound quick[TS_EXACT_DIGITS]; /* by ts_quick_of() */
  int degree;
  int careful; /* |z| is tested after every step */
  int known;   /* whether errors in the first block are known beforehand */
} TsExactLimits;
