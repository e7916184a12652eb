// Decides who works once a GPU has joined the cores of a rank. Pure: times are passed in.
#pragma once

namespace tessera::plan {

/// The cores work from the beginning; a late device joins them. It gets one item. If it may be
/// faster than the cores, it then works alone, with the cores free to encode for it. After that
/// both work together, unless the cores are too slow to help. The fastest way stays. All items cost
/// alike, as those do that a rank has at one time.
class LateTrial {
 public:
  /// `late`: the number of the device that joins, which works on `lanes` items at a time.
  LateTrial(int late, int lanes) : late_(late), lanes_(lanes) {}

  /// Whether the device may begin an item now.
  bool allows(int device) const;
  void begin(int device, double now_s);
  void put_back(int device);
  void finish(int device, double now_s);
  /// A device failed: the others take everything.
  void lose();

  /// Time for which a way is measured.
  static constexpr double kSeconds = 0.2;
  /// Fewest items by which a way is measured.
  // crossed by: a_fast_device_works_alone_once_it_is_there,
  // cores_of_an_eighth_of_its_speed_are_worth_a_try
  static constexpr int kMinItems = 8;
  /// Cores that are slower than this part of the late device leave it alone.
  // crossed by: a_fast_device_works_alone_once_it_is_there,
  // cores_of_an_eighth_of_its_speed_are_worth_a_try
  static constexpr double kWorthHelp = 0.125;

 private:
  enum class Way { cores, late, together };
  struct Side {
    int in_hand = 0;
    int finished = 0;     ///< in this way
    double first_s = -1;  ///< when it began its first item in this way
  };
  Side& side(int device) { return device == late_ ? late_side_ : cores_; }
  void resume(Way way);
  void measure(double now_s);
  void end(double now_s);

  int late_;
  int lanes_;
  Way way_ = Way::cores;
  bool over_ = false;
  Side cores_, late_side_;
  bool measuring_ = false;
  double start_s_ = 0;
  int finished_ = 0;                       ///< since start_s_
  double cores_rate_ = 0, late_rate_ = 0;  ///< items per second
};

}  // namespace tessera::plan
