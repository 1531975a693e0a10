#include "symcache/row_encoder.hpp"

namespace symcached::symcache {
namespace {

constexpr std::uint32_t kLongestTaggedStep = 15;

}  // namespace

void RowEncoder::encode(std::span<const EncodedRow> rows, std::span<const EncodedFrame> frames) {
  out_.clear();
  restarts_.clear();
  frames_ = frames;
  positions_.assign(frames.size(), 0);
  state_ = {};
  const bool is_long = rows.size() > kLongestRun;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool restart = is_long && i != 0 && i % kRowsPerRestart == 0;
    if (restart) restarts_.push_back({rows[i].offset, static_cast<std::uint32_t>(out_.size())});
    put_row(rows[i], restart);
  }
}

void RowEncoder::put_row(const EncodedRow& row, bool restart) {
  const std::uint32_t step = row.offset - state_.offset;
  const bool defined = row.frame == kFunctionFrame || positions_[row.frame] != 0;
  const bool stays = row.frame == state_.frame && !restart;
  const bool goes_up =
      !restart && !stays && state_.frame != kFunctionFrame && frames_[state_.frame].caller == row.frame;

  EncodedRow expected{.frame = row.frame};
  if (stays) expected = state_;
  if (goes_up) {
    const EncodedFrame& left = frames_[state_.frame];
    expected.file = left.call_file;
    expected.line = left.call_line;
    expected.column = left.call_column;
  }
  if (!defined) define_callers(row.frame);
  if (!defined && restart) {
    out_.put_u8(kShortRows | kOther << 5 | kDefineFrame);
    put_definition(row.frame);
  }
  if (row.file != expected.file || (restart && row.file != kOwnFile)) {
    out_.put_u8(kShortRows | kOther << 5 | kSetFile);
    out_.put_uleb(row.file);
  }
  const std::int64_t line_change = row.line - expected.line;
  if (stays) {
    const std::int64_t biased = line_change + std::int64_t{kShortLineBias};
    if (step >= 1 && step <= kShortOffsets && biased >= 0 && biased < kShortRows / std::int64_t{kShortOffsets}) {
      out_.put_u8(static_cast<std::uint8_t>(biased * kShortOffsets + (step - 1)));
    } else {
      out_.put_u8(kShortRows | kOther << 5 | kLongRow);
      out_.put_uleb(step);
      out_.put_uleb(zigzag(line_change));
    }
  } else if (goes_up) {
    put_tagged(kUp, step, line_change);
    if (line_change != 0) out_.put_uleb(zigzag(line_change));
  } else if (defined || restart) {
    put_tagged(kJump, step, line_change);
    out_.put_uleb(distance_to(row.frame, out_.size()));
    if (line_change != 0) out_.put_uleb(zigzag(line_change));
  } else {
    put_tagged(kNewFrame, step, line_change);
    put_definition(row.frame);
    if (line_change != 0) out_.put_uleb(zigzag(line_change));
  }
  if (has_columns_) out_.put_uleb(zigzag(std::int64_t{row.column} - expected.column));
  state_ = row;
}

/// Tag and offset step; the last bit says that no change of the line follows the operands.
void RowEncoder::put_tagged(RowOp op, std::uint32_t step, std::int64_t line_change) {
  const std::uint32_t small = step <= kLongestTaggedStep ? step : 0;
  out_.put_u8(static_cast<std::uint8_t>(kShortRows | op << 5 | small << 1 | (line_change == 0 ? 1 : 0)));
  if (small == 0) out_.put_uleb(step);
}

void RowEncoder::define_callers(std::uint32_t frame) {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t f = frames_[frame].caller; f != kFunctionFrame && positions_[f] == 0; f = frames_[f].caller)
    missing.push_back(f);
  for (std::size_t i = missing.size(); i-- > 0;) {
    out_.put_u8(kShortRows | kOther << 5 | kDefineFrame);
    put_definition(missing[i]);
  }
}

void RowEncoder::put_definition(std::uint32_t frame) {
  const EncodedFrame& f = frames_[frame];
  const std::size_t here = out_.size();
  positions_[frame] = static_cast<std::uint32_t>(here);
  out_.put_uleb(f.subprogram);
  out_.put_uleb(distance_to(f.caller, here));
  out_.put_uleb(zigzag(f.call_line) << 1 | (f.call_file != kOwnFile ? 1 : 0));
  if (f.call_file != kOwnFile) out_.put_uleb(f.call_file);
  if (has_columns_) out_.put_uleb(f.call_column);
}

/// 0 stands for the function itself.
std::uint32_t RowEncoder::distance_to(std::uint32_t frame, std::size_t from) const {
  return frame == kFunctionFrame ? 0 : static_cast<std::uint32_t>(from) - positions_[frame];
}

}  // namespace symcached::symcache
