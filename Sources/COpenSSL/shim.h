// OpenSSL, the TLS of libcurl: how a connection has ended.
#ifndef SWIFTPLAY_COPENSSL_SHIM_H
#define SWIFTPLAY_COPENSSL_SHIM_H
#include <openssl/ssl.h>
#endif
