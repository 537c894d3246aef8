// OpenSSL: how a TLS connection of libcurl has ended, the digests of files, and the keys and ciphers of notifications.
#ifndef SWIFTPLAY_COPENSSL_SHIM_H
#define SWIFTPLAY_COPENSSL_SHIM_H
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>
#endif
