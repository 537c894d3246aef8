// GTK 4, with the part of GLib that watches file descriptors.
#pragma once
#include <gtk/gtk.h>
#include <glib-unix.h>
