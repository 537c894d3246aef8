// A simulated sound device for tests: an ALSA plug-in that consumes samples at the rate of the monotonic clock, records
// the played samples, and injects faults on command. Tests/TestSupport/AudioDeviceStandIn.swift compiles it.
//
//     pcm.NAME { type standin directory "DIR" }
//
// The plug-in polls DIR/command, whose first word selects a fault: ok (no fault), eio-poll, epipe, estrpipe, enodev,
// gone (enodev as plug-ins report it: an underrun, then preparing fails), stuck (writing blocks), half (half speed).
// Read only when the device opens: ebusy, slow-open, no-pause, deep (16,384 frames, as with dmix). A number after the
// word limits how often the fault occurs. DIR/heard receives the samples (interleaved floats) when they are played.
// DIR/log receives a line for each call: host time in ns, word, number.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    snd_pcm_ioplug_t io;
    int timer, command, heard, log;
    char text[64];      // the contents of DIR/command at the last read
    long left;          // remaining faults; -1: unlimited
    float *ring;        // the device's buffer
    snd_pcm_uframes_t boundary;
    uint64_t written, consumed;
    double position;    // played frames, with fraction
    int64_t since;      // host time of `position`; 0: the device is stopped
} standin;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void note(standin *s, const char *what, long number) {
    char line[96];
    int n = snprintf(line, sizeof line, "%lld %s %ld\n", (long long)now(), what, number);
    if (n > 0 && write(s->log, line, (size_t)n) < 0) return;
}

// Reads the command. A new command resets the number of remaining faults.
static void read_command(standin *s) {
    char text[64] = "";
    ssize_t n = pread(s->command, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    if (strcmp(text, s->text) == 0) return;
    memcpy(s->text, text, sizeof text);
    char *space = strchr(text, ' ');
    s->left = space ? atol(space) : -1;
    note(s, "command", s->left);
}

static int command_is(standin *s, const char *word) {
    size_t n = strlen(word);
    return strncmp(s->text, word, n) == 0 && (s->text[n] == 0 || s->text[n] == ' ' || s->text[n] == '\n');
}

// Returns whether the fault `word` occurs now, and decrements the number of remaining faults.
static int take_fault(standin *s, const char *word) {
    read_command(s);
    if (!command_is(s, word) || s->left == 0) return 0;
    if (s->left > 0) s->left--;
    return 1;
}

static void arm(standin *s, int on) {
    struct itimerspec t;
    memset(&t, 0, sizeof t);
    if (on) {
        long period = (long)(s->io.period_size * 1000000000.0 / s->io.rate);
        t.it_value.tv_nsec = period < 1000000 ? 1000000 : period > 999999999 ? 999999999 : period;
        t.it_interval = t.it_value;
    }
    timerfd_settime(s->timer, 0, &t, NULL);
}

// Plays frames up to the current time and records them. Returns the number of missing frames.
static long play_until_now(standin *s) {
    if (!s->since) return 0;
    int64_t t = now();
    s->position += (double)(t - s->since) * s->io.rate / 1e9 * (command_is(s, "half") ? 0.5 : 1);
    s->since = t;
    uint64_t end = (uint64_t)s->position;
    long missing = end > s->written ? (long)(end - s->written) : 0;
    if (missing) end = s->written;
    while (s->consumed < end) {
        uint64_t at = s->consumed % s->io.buffer_size, n = end - s->consumed;
        if (n > s->io.buffer_size - at) n = s->io.buffer_size - at;
        if (write(s->heard, s->ring + at * s->io.channels, n * s->io.channels * sizeof(float)) < 0) break;
        s->consumed += n;
    }
    s->consumed = end;
    return missing;
}

static int cb_start(snd_pcm_ioplug_t *io) {
    standin *s = io->private_data;
    note(s, "start", (long)(s->written - s->consumed));
    s->since = now();
    s->position = (double)s->consumed;
    arm(s, 1);
    return 0;
}

static int cb_stop(snd_pcm_ioplug_t *io) {
    standin *s = io->private_data;
    play_until_now(s);
    note(s, "drop", (long)(s->written - s->consumed));
    s->since = 0;
    arm(s, 0);
    return 0;
}

static snd_pcm_sframes_t cb_pointer(snd_pcm_ioplug_t *io) {
    standin *s = io->private_data;
    read_command(s);
    if (command_is(s, "enodev")) {
        s->since = 0;
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        return (snd_pcm_sframes_t)(s->consumed % s->boundary);
    }
    if (s->since && take_fault(s, "estrpipe")) {
        s->since = 0;
        note(s, "suspended", 0);
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
        return (snd_pcm_sframes_t)(s->consumed % s->boundary);
    }
    long missing = play_until_now(s);
    if (missing || (s->since && (command_is(s, "gone") || take_fault(s, "epipe")))) {
        note(s, "xrun", missing);
        s->since = 0;
        return -EPIPE;
    }
    return (snd_pcm_sframes_t)(s->consumed % s->boundary);
}

static snd_pcm_sframes_t cb_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size
) {
    standin *s = io->private_data;
    if (take_fault(s, "stuck")) {
        note(s, "stuck", 0);
        while (command_is(s, "stuck")) {
            usleep(20000);
            read_command(s);
        }
        note(s, "free", 0);
    }
    if (command_is(s, "enodev")) return -ENODEV;
    const char *source = (const char *)areas->addr + (areas->first + areas->step * offset) / 8;
    for (snd_pcm_uframes_t i = 0; i < size; i++)
        memcpy(s->ring + (s->written + i) % io->buffer_size * io->channels, source + i * io->channels * sizeof(float),
            io->channels * sizeof(float));
    s->written += size;
    return (snd_pcm_sframes_t)size;
}

static int cb_prepare(snd_pcm_ioplug_t *io) {
    standin *s = io->private_data;
    read_command(s);
    note(s, "prepare", 0);
    s->since = 0;
    s->written = s->consumed = 0;
    s->position = 0;
    arm(s, 0);
    return command_is(s, "enodev") || command_is(s, "gone") ? -ENODEV : 0;
}

static int cb_pause(snd_pcm_ioplug_t *io, int on) {
    standin *s = io->private_data;
    if (on) play_until_now(s);
    note(s, "pause", on);
    s->since = on ? 0 : now();
    s->position = (double)s->consumed;
    arm(s, !on);
    return 0;
}

static int cb_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
    standin *s = io->private_data;
    play_until_now(s);
    *delay = (snd_pcm_sframes_t)(s->written - s->consumed);
    return 0;
}

static int cb_revents(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned int count, unsigned short *revents) {
    standin *s = io->private_data;
    (void)count;
    uint64_t ticks;
    *revents = 0;
    if (!(fds[0].revents & POLLIN)) return 0;
    if (read(s->timer, &ticks, sizeof ticks) != sizeof ticks) return 0;
    play_until_now(s);
    if (take_fault(s, "eio-poll")) *revents = POLLERR;
    else if (command_is(s, "enodev")) *revents = POLLERR | POLLHUP;
    else if (io->buffer_size - (s->written - s->consumed) >= io->period_size) *revents = POLLOUT;
    return 0;
}

static int cb_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
    standin *s = io->private_data;
    (void)params;
    free(s->ring);
    s->ring = calloc(io->buffer_size * io->channels, sizeof(float));
    note(s, "buffer", (long)io->buffer_size);
    note(s, "period", (long)io->period_size);
    return s->ring ? 0 : -ENOMEM;
}

static int cb_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
    standin *s = io->private_data;
    return snd_pcm_sw_params_get_boundary(params, &s->boundary);
}

static int cb_close(snd_pcm_ioplug_t *io) {
    standin *s = io->private_data;
    play_until_now(s);
    note(s, "close", (long)(s->written - s->consumed));
    close(s->timer);
    close(s->command);
    close(s->heard);
    close(s->log);
    free(s->ring);
    free(s);
    return 0;
}

#define CALLBACKS .start = cb_start, .stop = cb_stop, .pointer = cb_pointer, .transfer = cb_transfer, \
    .close = cb_close, .hw_params = cb_hw_params, .sw_params = cb_sw_params, .prepare = cb_prepare, \
    .poll_revents = cb_revents, .delay = cb_delay
static const snd_pcm_ioplug_callback_t pausing = {CALLBACKS, .pause = cb_pause}, plain = {CALLBACKS};

static int open_in(const char *directory, const char *name, int flags) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return open(path, flags | O_CLOEXEC, 0600);
}

SND_PCM_PLUGIN_DEFINE_FUNC(standin) {
    const char *directory = NULL;
    snd_config_iterator_t i, next;
    (void)root;
    snd_config_for_each(i, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(entry, &id) >= 0 && !strcmp(id, "directory")) snd_config_get_string(entry, &directory);
    }
    if (!directory || stream != SND_PCM_STREAM_PLAYBACK) return -EINVAL;
    standin *s = calloc(1, sizeof *s);
    if (!s) return -ENOMEM;
    s->left = -1;
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    s->command = open_in(directory, "command", O_RDWR | O_CREAT);
    s->heard = open_in(directory, "heard", O_WRONLY | O_CREAT | O_APPEND);
    s->log = open_in(directory, "log", O_WRONLY | O_CREAT | O_APPEND);
    read_command(s);
    note(s, "open", 0);
    while (command_is(s, "slow-open")) {
        usleep(20000);
        read_command(s);
    }
    int error = command_is(s, "enodev") || command_is(s, "gone") ? -ENODEV : command_is(s, "ebusy") ? -EBUSY : 0;
    s->io.version = SND_PCM_IOPLUG_VERSION;
    s->io.name = "A device for tests";
    s->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    s->io.callback = command_is(s, "no-pause") ? &plain : &pausing;
    s->io.private_data = s;
    s->io.poll_fd = s->timer;
    s->io.poll_events = POLLIN;
    if (!error) error = snd_pcm_ioplug_create(&s->io, name, stream, mode);
    if (error < 0) {
        note(s, "refused", error);
        close(s->timer);
        close(s->command);
        close(s->heard);
        close(s->log);
        free(s);
        return error;
    }
    static const unsigned int accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED}, formats[] = {SND_PCM_FORMAT_FLOAT};
    snd_pcm_ioplug_set_param_list(&s->io, SND_PCM_IOPLUG_HW_ACCESS, 1, accesses);
    snd_pcm_ioplug_set_param_list(&s->io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2);
    snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_RATE, 8000, 192000);
    int deep = command_is(s, "deep");
    snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, deep ? 8192 : 256, deep ? 8192 : 1 << 18);
    snd_pcm_ioplug_set_param_minmax(
        &s->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, deep ? 131072 : 1024, deep ? 131072 : 1 << 20);
    snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
    *pcmp = s->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(standin);
