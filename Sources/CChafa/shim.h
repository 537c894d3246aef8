// chafa: conversion of pixels to terminal graphics.
#ifndef SWIFTPLAY_CCHAFA_SHIM_H
#define SWIFTPLAY_CCHAFA_SHIM_H
#include <chafa.h>
#endif
