// Internal to src/plan: what the host writes in front of a rendered template.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace halfbyte {

// Directives (found from the words that the text uses, and the template's own, moved up), uniform structs, bindings, then the body.
std::string with_prologue(std::string_view body, const PassPlan& pass);

}  // namespace halfbyte
