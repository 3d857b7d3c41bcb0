// Objects that C callbacks find by number. Dawn goes on calling back for a device after it has said that the device is lost, which is when the
// last owner of a callback's object may let go of it: such a call finds nothing here, instead of freed memory. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace halfbyte::gpu {

template <typename T>
class Living {
 public:
  // The object's number, as the pointer that a callback is given. Keeps no reference to the object.
  static void* add(const std::shared_ptr<T>& object) {
    Living& all = instance();
    const std::scoped_lock lock(all.mutex_);
    std::erase_if(all.objects_, [](const auto& entry) { return entry.second.expired(); });
    all.objects_.emplace(++all.last_, object);
    return reinterpret_cast<void*>(all.last_);
  }

  // Null when it has gone; else it stays while the caller holds it.
  static std::shared_ptr<T> find(const void* number) {
    Living& all = instance();
    const std::scoped_lock lock(all.mutex_);
    const auto found = all.objects_.find(reinterpret_cast<uintptr_t>(number));
    return found == all.objects_.end() ? nullptr : found->second.lock();
  }

 private:
  static Living& instance() {
    static Living* const all = new Living;  // never destroyed: Dawn's threads may outlive our statics
    return *all;
  }

  std::mutex mutex_;
  uintptr_t last_ = 0;
  std::unordered_map<uintptr_t, std::weak_ptr<T>> objects_;
};

}  // namespace halfbyte::gpu
