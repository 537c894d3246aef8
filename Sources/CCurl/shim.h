// libcurl: transfers over HTTP. Swift cannot call C functions with variable arguments, so each type of option and of
// information has a function here.
#ifndef SWIFTPLAY_CCURL_SHIM_H
#define SWIFTPLAY_CCURL_SHIM_H
#include <curl/curl.h>

// curl_easy_setopt in parentheses is libcurl's function; without parentheses it is a type-checking macro.
static inline CURLcode ccurl_set_integer(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}
typedef size_t (*ccurl_receiver)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_receiver(CURL *easy, CURLoption option, ccurl_receiver value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_prerequest_callback(CURL *easy, curl_prereq_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode ccurl_set_progress_callback(CURL *easy, curl_xferinfo_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_XFERINFOFUNCTION, value);
}
static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = { .data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY };
    return (curl_easy_setopt)(easy, option, &blob);
}
static inline CURLcode ccurl_set_seek_callback(CURL *easy, curl_seek_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode ccurl_set_socket_option_callback(CURL *easy, curl_sockopt_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_SOCKOPTFUNCTION, value);
}
static inline CURLMcode ccurl_multi_set_socket_callback(CURLM *multi, curl_socket_callback value, void *context) {
    (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
    return (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback value, void *context) {
    (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, context);
    return (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, value);
}
static inline CURLSHcode ccurl_share_cookies(CURLSH *share) {
    return (curl_share_setopt)(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}
static inline CURLMcode ccurl_multi_set_integer(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}
static inline CURLcode ccurl_get_integer(CURL *easy, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode ccurl_get_text(CURL *easy, CURLINFO info, const char **value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(easy, info, value);
}
// The value that a write callback (ccurl_receiver) returns to pause the transfer.
static const size_t ccurl_receiver_pause = CURL_WRITEFUNC_PAUSE;
#endif
