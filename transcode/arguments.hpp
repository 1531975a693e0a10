#pragma once
/// The command line of a transcoder as an operator writes it, and as it is run. Pure.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::transcode {

/// Where a job has its files; absolute.
struct JobPlaces {
  std::filesystem::path job;
  std::filesystem::path pdb;  ///< the PDB, under the name it was asked for by
  std::filesystem::path out;  ///< symcaches go below it
};

/// "{pdb}", "{out}" and "{job}" within arguments become the places, "{pdb:windows}" and so on the same as a program of
/// Windows knows them under Wine. Where none of them occurs, "-pdb {pdb}" follows: symcachegen.exe's contract.
std::vector<std::string> with_places(const std::vector<std::string>& command, const JobPlaces& places);

/// Whether it names any place as Windows has it.
bool has_windows_paths(const std::vector<std::string>& command);

/// What is wrong with a command; empty if nothing is: no program, or braces around a word that means nothing.
std::string check_command(const std::vector<std::string>& command);

/// "/tmp/a b" is "Z:\tmp\a b" under Wine.
std::string windows_spelling(const std::filesystem::path& path);

}  // namespace symcached::transcode
