#pragma once
/// Values that are lists or maps of maps, with tables of their own.
#include <cstdint>
#include <map>
#include <vector>

#include "config/config.hpp"
#include "config/fields.hpp"
#include "config/row.hpp"

namespace symcached::config {

Field tokens(std::vector<auth::Token>& tokens);
Field rules(std::vector<auth::Rule>& rules);
Field transcoders(std::map<std::uint32_t, Transcoder>& transcoders);

/// Keys of an S3 bucket below `group`: "symcache.redirect.".
void add_bucket(Rows& rows, const std::string& group, sources::S3Place& bucket, Use use);

}  // namespace symcached::config
