#pragma once
/// `POST /symbolicate`, `GET /requests/{id}` and `DELETE /requests/{id}`. Spec: docs/protocols/symbolicator.md.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/symbolicator/request.hpp"
#include "net/http.hpp"
#include "net/task.hpp"
#include "service/request_table.hpp"
#include "service/stack_service.hpp"

namespace symcached::api {

/// What stack traces are answered with. All of it outlives the server.
struct StackDesk {
  service::StackService* stacks = nullptr;
  service::RequestTable* requests = nullptr;
  SourceRules source_rules = {};
  std::uint64_t max_body = std::uint64_t{55} << 20;  ///< bytes of a request's JSON
};

/// What the desk's table calls. @param text  the scope, " explain" if that is wanted, a line end, the JSON
/// @param progress  gets what is known before all modules are there
Task<service::RequestAnswer> answer_stacks(service::RequestTable::Text text,
                                           std::shared_ptr<service::RequestProgress> progress, StackDesk desk);

/// How the body of a request to symbolicate is taken.
http::BodyPlan plan_stack_body(const http::Request& head, const StackDesk& desk);

Task<http::Response> post_symbolicate(http::Request request, const StackDesk& desk);
/// @param below  segments after `requests`
Task<http::Response> get_request(http::Request request, std::vector<std::string> below, const StackDesk& desk);
Task<http::Response> delete_request(std::vector<std::string> below, const StackDesk& desk);

}  // namespace symcached::api
