// Finds the reason why a certificate is rejected, which FFmpeg does not report. It loads GnuTLS at run time if it is
// installed, even if FFmpeg uses OpenSSL; the development files of GnuTLS are not needed.
#ifndef SWIFTPLAY_CFFMPEG_CERTIFICATE_H
#define SWIFTPLAY_CFFMPEG_CERTIFICATE_H
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// Bits of gnutls_certificate_status_t.
enum {
    CFFMPEG_CERTIFICATE_REVOKED = 1 << 5,
    CFFMPEG_CERTIFICATE_SIGNER_NOT_FOUND = 1 << 6,
    CFFMPEG_CERTIFICATE_SIGNER_NOT_CA = 1 << 7,
    CFFMPEG_CERTIFICATE_INSECURE_ALGORITHM = 1 << 8,
    CFFMPEG_CERTIFICATE_NOT_ACTIVATED = 1 << 9,
    CFFMPEG_CERTIFICATE_EXPIRED = 1 << 10,
    CFFMPEG_CERTIFICATE_UNEXPECTED_OWNER = 1 << 14,
};

// Performs a TLS handshake over a connected socket and verifies the certificate. Returns the status bits: 0 if the
// certificate is valid, -1 if it cannot be verified. If `ca_file` is NULL, the system's root certificates apply.
static inline int cffmpeg_certificate_status(
    int socket, const char *host, int host_is_number, const char *ca_file, unsigned milliseconds) {
    void *library = dlopen("libgnutls.so.30", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return -1;
    int status = -1;
    int (*init)(void **, unsigned) = (int (*)(void **, unsigned))dlsym(library, "gnutls_init");
    void (*deinit)(void *) = (void (*)(void *))dlsym(library, "gnutls_deinit");
    int (*allocate)(void **) = (int (*)(void **))dlsym(library, "gnutls_certificate_allocate_credentials");
    void (*release)(void *) = (void (*)(void *))dlsym(library, "gnutls_certificate_free_credentials");
    int (*system_trust)(void *) = (int (*)(void *))dlsym(library, "gnutls_certificate_set_x509_system_trust");
    int (*file_trust)(void *, const char *, int) =
        (int (*)(void *, const char *, int))dlsym(library, "gnutls_certificate_set_x509_trust_file");
    int (*priority)(void *) = (int (*)(void *))dlsym(library, "gnutls_set_default_priority");
    int (*set_credentials)(void *, int, void *) =
        (int (*)(void *, int, void *))dlsym(library, "gnutls_credentials_set");
    int (*set_name)(void *, int, const void *, size_t) =
        (int (*)(void *, int, const void *, size_t))dlsym(library, "gnutls_server_name_set");
    void (*set_transport)(void *, int, int) = (void (*)(void *, int, int))dlsym(library, "gnutls_transport_set_int2");
    void (*set_timeout)(void *, unsigned) = (void (*)(void *, unsigned))dlsym(library, "gnutls_handshake_set_timeout");
    int (*handshake)(void *) = (int (*)(void *))dlsym(library, "gnutls_handshake");
    int (*is_fatal)(int) = (int (*)(int))dlsym(library, "gnutls_error_is_fatal");
    int (*verify)(void *, const char *, unsigned *) =
        (int (*)(void *, const char *, unsigned *))dlsym(library, "gnutls_certificate_verify_peers3");
    void *session = 0, *credentials = 0;
    if (init && deinit && allocate && release && system_trust && file_trust && priority && set_credentials && set_name
        && set_transport && set_timeout && handshake && is_fatal && verify && allocate(&credentials) == 0) {
        if (ca_file) file_trust(credentials, ca_file, 1 /* PEM */); else system_trust(credentials);
        if (init(&session, 2 /* GNUTLS_CLIENT */) == 0) {
            priority(session);
            set_credentials(session, 1 /* GNUTLS_CRD_CERTIFICATE */, credentials);
            if (!host_is_number) set_name(session, 1 /* GNUTLS_NAME_DNS */, host, strlen(host));
            set_transport(session, socket, socket);
            set_timeout(session, milliseconds);
            int code;
            do code = handshake(session); while (code < 0 && !is_fatal(code));
            unsigned bits = 0;
            if (code == 0 && verify(session, host, &bits) == 0) status = (int)bits;
            deinit(session);
        }
        release(credentials);
    }
    dlclose(library);
    return status;
}
#endif
