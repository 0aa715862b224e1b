// Naive versions of the C templates that sort and select.
#pragma once

namespace tenon {

class FrameData;

void oracle_sort(const FrameData& f);
void oracle_nonzero(const FrameData& f);
void oracle_compress(const FrameData& f);
void oracle_unique(const FrameData& f);
void oracle_searchsorted(const FrameData& f);
void oracle_non_max_suppression(const FrameData& f);

}  // namespace tenon
