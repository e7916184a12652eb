// Connections and addresses of the commands that serve a page.
#pragma once

#include <string>

#include "job/serve_job.hpp"

namespace tessera::command {

/// Connections of browsers at a time.
inline constexpr int kMaxConnections = 512;

/// "http://ADDR:PORT/PATH". `host`: where the page is served.
std::string address_of(job::ServeJob job, const std::string& host, const std::string& path);

/// In a job of Slurm, prints how a browser on another machine reaches the page at `path`.
void print_tunnel(const job::ServeJob& job, const std::string& host, const std::string& path);

/// Prints the address of the page, and in a job of Slurm how to reach it.
void print_page_address(const job::ServeJob& job, const std::string& host,
                        const std::string& token);

}  // namespace tessera::command
