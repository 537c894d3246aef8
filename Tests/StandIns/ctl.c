// The control of a simulated sound card for tests: an ALSA plug-in with a headphone jack and a volume. A pipe triggers
// its events. Tests/TestSupport/AudioDeviceStandIn.swift compiles it.
//
//     ctl.NAME { type standin pipe "PATH" }
//
// Each byte in the pipe triggers an event: i plugs the headphones in, o unplugs them, v changes the volume, x removes
// the card.
#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    snd_ctl_ext_t ext;
    int plugged;        // whether the headphones are plugged in
    long volume;
} standin;

// The elements of the control, and their number.
enum { JACK, VOLUME, COUNT };

static void cb_close(snd_ctl_ext_t *ext) {
    close(ext->poll_fd);
    free(ext->private_data);
}

static int cb_count(snd_ctl_ext_t *ext) {
    (void)ext;
    return COUNT;
}

// Sets the name by which programs know the element `key`.
static void identify(snd_ctl_elem_id_t *id, unsigned int key) {
    snd_ctl_elem_id_set_interface(id, key == JACK ? SND_CTL_ELEM_IFACE_CARD : SND_CTL_ELEM_IFACE_MIXER);
    snd_ctl_elem_id_set_name(id, key == JACK ? "Headphone Jack" : "Master Playback Volume");
}

static int cb_list(snd_ctl_ext_t *ext, unsigned int offset, snd_ctl_elem_id_t *id) {
    (void)ext;
    identify(id, offset);
    return 0;
}

static snd_ctl_ext_key_t cb_find(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
    (void)ext;
    return strcmp(snd_ctl_elem_id_get_name(id), "Headphone Jack") == 0 ? JACK : VOLUME;
}

static int cb_attribute(
    snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned int *access, unsigned int *count) {
    (void)ext;
    *type = key == JACK ? SND_CTL_ELEM_TYPE_BOOLEAN : SND_CTL_ELEM_TYPE_INTEGER;
    *access = SND_CTL_EXT_ACCESS_READ;
    *count = 1;
    return 0;
}

static int cb_info(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *least, long *most, long *step) {
    (void)ext;
    *least = 0;
    *most = key == JACK ? 1 : 100;
    *step = 1;
    return 0;
}

static int cb_read(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
    standin *s = ext->private_data;
    *value = key == JACK ? s->plugged : s->volume;
    return 0;
}

static int cb_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned int *mask) {
    standin *s = ext->private_data;
    char word;
    if (read(ext->poll_fd, &word, 1) != 1) return -EAGAIN;
    switch (word) {
    case 'i':
    case 'o': s->plugged = word == 'i'; break;
    case 'v': s->volume++; break;
    case 'x': return -ENODEV;
    default: return -EAGAIN;
    }
    identify(id, word == 'v' ? VOLUME : JACK);
    *mask = SND_CTL_EVENT_MASK_VALUE;
    return 1;
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = cb_close, .elem_count = cb_count, .elem_list = cb_list, .find_elem = cb_find,
    .get_attribute = cb_attribute, .get_integer_info = cb_info, .read_integer = cb_read, .read_event = cb_event,
};

SND_CTL_PLUGIN_DEFINE_FUNC(standin) {
    const char *pipe = NULL;
    snd_config_iterator_t i, next;
    (void)root;
    snd_config_for_each(i, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(entry, &id) >= 0 && strcmp(id, "pipe") == 0) snd_config_get_string(entry, &pipe);
    }
    if (!pipe) return -EINVAL;
    standin *s = calloc(1, sizeof *s);
    if (!s) return -ENOMEM;
    s->ext.version = SND_CTL_EXT_VERSION;
    s->ext.card_idx = 0;
    strcpy(s->ext.id, "standin");
    strcpy(s->ext.driver, "standin");
    strcpy(s->ext.name, "Stand-in");
    strcpy(s->ext.longname, "Stand-in");
    strcpy(s->ext.mixername, "Stand-in");
    // Opens both ends of the pipe, so that it does not report end of file when a writer closes it.
    s->ext.poll_fd = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    s->ext.callback = &callbacks;
    s->ext.private_data = s;
    int error = s->ext.poll_fd < 0 ? -errno : snd_ctl_ext_create(&s->ext, name, mode);
    if (error < 0) {
        if (s->ext.poll_fd >= 0) close(s->ext.poll_fd);
        free(s);
        return error;
    }
    *handlep = s->ext.handle;
    return 0;
}
SND_CTL_PLUGIN_SYMBOL(standin);
