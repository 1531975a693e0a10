#pragma once
/// A sink in front of another: passes on what it is given, and a derived class changes some of it.
#include <memory>
#include <utility>

#include "model/module.hpp"

namespace symcached::object {

class WrappingSink : public model::ModuleSink {
 public:
  explicit WrappingSink(model::ModuleSink& inner) : inner_(&inner) {}
  explicit WrappingSink(std::unique_ptr<model::ModuleSink> inner) : owned_(std::move(inner)), inner_(owned_.get()) {}

  model::StringId intern(std::string_view text) override { return inner_->intern(text); }
  void module(const model::Module& module) override { inner_->module(module); }
  void function(const model::Function& function) override { inner_->function(function); }

  std::unique_ptr<model::ModuleSink> fork() override {
    auto part = inner_->fork();
    return part ? wrap(std::move(part)) : nullptr;
  }
  void join(std::unique_ptr<model::ModuleSink> part) override {
    auto& wrapped = static_cast<WrappingSink&>(*part);
    take(wrapped);
    inner_->join(std::move(wrapped.owned_));
  }

 protected:
  /// A sink like this one for another thread.
  virtual std::unique_ptr<WrappingSink> wrap(std::unique_ptr<model::ModuleSink> inner) = 0;
  /// What a sink from wrap() gathered.
  virtual void take(WrappingSink& part) { (void)part; }

 private:
  std::unique_ptr<model::ModuleSink> owned_;
  model::ModuleSink* inner_;
};

}  // namespace symcached::object
