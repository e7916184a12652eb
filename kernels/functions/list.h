/* The table of functions: one(name, Name) for those of one argument, two(name, Name) for those of
 * two. tf_name is its text in this folder. */
#define TS_FUNCTIONS(one, two)                                                                    \
  one(exp, Exp) one(exp2, Exp2) one(expm1, Expm1) one(log, Log) one(log2, Log2) one(log10, Log10) \
      one(log1p, Log1p) one(sin, Sin) one(cos, Cos) one(tan, Tan) one(asin, Asin) one(acos, Acos) \
          one(atan, Atan) one(sinh, Sinh) one(cosh, Cosh) one(tanh, Tanh) one(cbrt, Cbrt)         \
              two(atan2, Atan2) two(hypot, Hypot) two(pow, Pow)
