extension IgnoredOptions {
    /// mpv's options that are accepted and have no effect: options of its renderers, filters, scripts, drivers and
    /// demuxers, and of features that this player does not have. Separated by white space.
    static let nameList = """
        script glsl-shader cover-art-file external-file
        access-references ad ad-lavc-ac3drc ad-lavc-downmix ad-lavc-o ad-lavc-threads ad-queue-enable
        ad-queue-max-bytes ad-queue-max-samples ad-queue-max-secs af allow-delayed-peak-detect alpha
        alsa-buffer-time alsa-ignore-chmap alsa-mixer-device alsa-mixer-index alsa-mixer-name alsa-non-interleaved
        alsa-periods alsa-resample angle-renderer ao-null-broken-delay ao-null-broken-eof ao-null-buffer
        ao-null-channel-layouts ao-null-format ao-null-latency ao-null-outburst ao-null-speed ao-null-untimed
        ao-pcm-file ao-pcm-waveheader audio-backward-batch audio-backward-overlap audio-buffer audio-client-name
        audio-demuxer audio-display audio-exclusive audio-exts audio-fallback-to-null audio-file-auto
        audio-file-paths audio-format audio-normalize-downmix audio-resample-cutoff audio-resample-filter-size
        audio-resample-linear audio-resample-max-output-size audio-resample-phase-shift audio-reversal-buffer
        audio-samplerate audio-spdif audio-stream-silence audio-swresample-o audio-wait-open autocreate-playlist
        autoload-files autosync background blend-subtitles bluray-device brightness cache-dir cache-on-disk
        cache-pause cache-pause-initial cache-pause-wait cache-secs cache-unlink-files cdda-cdtext cdda-overlap
        cdda-paranoia cdda-sector-size cdda-skip cdda-span-a cdda-span-b cdda-speed cdda-toc-bias cdda-toc-offset
        cdrom-device chapter-merge-threshold chapter-seek-threshold chapters-file clipboard-backends
        cocoa-force-dedicated-gpu contrast cookies coreaudio-change-physical-format correct-downscaling correct-pts
        cover-art-auto cover-art-files cover-art-whitelist cscale cscale-antiring cscale-blur cscale-clamp
        cscale-cutoff cscale-param1 cscale-param2 cscale-radius cscale-taper cscale-wblur cscale-window
        cscale-wparam cscale-wtaper cuda-decode-device cursor-autohide cursor-autohide-fs-only d3d11-adapter
        d3d11-flip d3d11-warp deband deband-grain deband-iterations deband-range deband-threshold demuxer
        demuxer-backward-playback-step demuxer-cache-wait demuxer-cue-codepage demuxer-donate-buffer
        demuxer-lavf-allow-mimetype demuxer-lavf-analyzeduration demuxer-lavf-buffersize demuxer-lavf-format
        demuxer-lavf-hacks demuxer-lavf-linearize-timestamps demuxer-lavf-o demuxer-lavf-probe-info
        demuxer-lavf-probescore demuxer-lavf-probesize demuxer-lavf-propagate-opts demuxer-mkv-probe-start-time
        demuxer-mkv-probe-video-duration demuxer-mkv-subtitle-preroll demuxer-mkv-subtitle-preroll-secs
        demuxer-mkv-subtitle-preroll-secs-index demuxer-rawaudio-channels demuxer-rawaudio-format
        demuxer-rawaudio-rate demuxer-rawvideo-codec demuxer-rawvideo-format demuxer-rawvideo-fps demuxer-rawvideo-h
        demuxer-rawvideo-mp-format demuxer-rawvideo-size demuxer-rawvideo-w demuxer-seekable-cache
        demuxer-termination-timeout demuxer-thread directory-filter-types directory-mode display-fps-override
        display-tags dither dither-depth dither-size-fruit drm-atomic drm-connector drm-device drm-draw-plane
        drm-draw-surface-size drm-drmprime-video-plane drm-format drm-mode drm-vrr-enabled dscale dscale-antiring
        dscale-blur dscale-clamp dscale-cutoff dscale-param1 dscale-param2 dscale-radius dscale-taper dscale-wblur
        dscale-window dscale-wparam dscale-wtaper dvbin-card dvbin-channel-switch-offset dvbin-file
        dvbin-full-transponder dvbin-prog dvbin-timeout dvd-angle dvd-device dvd-speed embeddedfonts error-diffusion
        external-files fbo-format focus-on-open force-media-title force-rgba-osd-rendering force-seekable
        force-window-position fps framedrop fs-screen-name gamma gamut-mapping-mode glsl-shader-opts glsl-shaders
        gpu-api gpu-context gpu-debug gpu-dumb-mode gpu-hwdec-interop gpu-next-opts gpu-shader-cache-dir gpu-sw
        gpu-tex-pad-x gpu-tex-pad-y hdr-compute-peak hdr-peak-decay-rate hdr-scene-threshold-high
        hdr-scene-threshold-low hr-seek hr-seek-demuxer-offset hr-seek-framedrop hue hwdec
        hwdec-codecs hwdec-extra-frames hwdec-image-format hwdec-threads icc-3dlut-size icc-cache-dir
        icc-force-contrast icc-intent icc-profile icc-profile-auto ignore-path-in-watch-later-config image-exts
        image-lut image-lut-type image-subs-video-resolution index initial-audio-sync input-ar-delay input-ar-rate
        input-builtin-bindings input-cursor input-cursor-passthrough input-doubleclick-time input-dragging
        input-gamepad input-ipc-client input-key-fifo-size input-media-keys input-right-alt-gr
        input-touch-emulate-mouse input-vo-keyboard interpolation interpolation-preserve interpolation-threshold
        inverse-tone-mapping jack-autostart jack-connect jack-name jack-port jack-std-channel-layout keep-open-pause
        keepaspect libplacebo-opts linear-downscaling linear-upscaling load-auto-profiles load-commands load-console
        load-context-menu load-osd-console load-positioning load-scripts load-select load-stats-overlay
        load-unsafe-playlists lut lut-type macos-title-bar-appearance mc media-controls metadata-codepage mf-fps
        mf-type monitoraspect monitorpixelaspect msg-color msg-module msg-time native-fs native-keyrepeat
        native-touch ontop-level opengl-check-pattern-a opengl-check-pattern-b opengl-early-flush opengl-es
        opengl-glfinish opengl-pbo opengl-rectangle-textures opengl-swapinterval opengl-waitvsync ordered-chapters
        osd-align-x osd-align-y osd-back-color osd-bar osd-bar-align-x osd-bar-align-y osd-bar-h osd-bar-w osd-blur
        osd-bold osd-border-color osd-border-size osd-border-style osd-color osd-font osd-font-provider
        osd-font-size osd-fractions osd-italic osd-justify osd-level osd-margin-x osd-margin-y osd-msg1 osd-msg2
        osd-msg3 osd-on-seek osd-outline-color osd-outline-size osd-playing-msg osd-playing-msg-duration osd-scale
        osd-scale-by-window osd-shadow-color osd-shadow-offset osd-spacing osd-status-msg override-display-fps
        panscan pipewire-buffer pipewire-remote player-operation-mode prefetch-playlist pulse-allow-suspended
        pulse-buffer pulse-host pulse-latency-hacks rar-list-all-volumes rebase-start-time reset-on-next-file
        resume-playback-check-mtime rtsp-transport saturation scale scale-antiring scale-blur scale-clamp
        scale-cutoff scale-param1 scale-param2 scale-radius scale-taper scale-wblur scale-window scale-wparam
        scale-wtaper scaler-lut-size scaler-resizes-only screen-name screenshot-high-bit-depth
        screenshot-jpeg-source-chroma screenshot-jxl-distance screenshot-jxl-effort screenshot-png-filter
        screenshot-sw screenshot-tag-colorspace screenshot-webp-compression screenshot-webp-lossless
        screenshot-webp-quality script-opt script-opts scripts sdl-buflen sdl-sw sdl-switch-mode sdl-vsync
        sharpen sigmoid-center sigmoid-slope sigmoid-upscaling snap-window spirv-compiler
        stop-playback-on-init-failure stream-buffer-size stream-lavf-o stretch-dvd-subs stretch-image-subs-to-screen
        sub-align-x sub-align-y sub-ass sub-ass-force-margins sub-ass-force-style sub-ass-hinting sub-ass-justify
        sub-ass-line-spacing sub-ass-override sub-ass-scale-with-window sub-ass-shaper sub-ass-styles
        sub-ass-vsfilter-aspect-compat sub-ass-vsfilter-blur-compat sub-ass-vsfilter-color-compat sub-back-color
        sub-blur sub-bold sub-border-color sub-border-size sub-border-style sub-clear-on-seek sub-color
        sub-create-cc-track sub-demuxer sub-file-paths sub-filter-jsre sub-filter-regex sub-filter-regex-enable
        sub-filter-regex-plain sub-filter-regex-warn sub-filter-sdh sub-filter-sdh-harder sub-fix-timing sub-font
        sub-font-provider sub-forced-only sub-fps sub-gauss sub-gray sub-hdr-peak sub-italic sub-justify
        sub-margin-x sub-margin-y sub-outline-color sub-outline-size sub-past-video-end sub-scale-by-window
        sub-scale-with-window sub-shadow-color sub-shadow-offset sub-spacing sub-speed sub-use-margins
        subs-with-matching-audio swapchain-depth sws-allow-zimg sws-bitexact sws-cgb sws-chs sws-cs sws-cvs sws-fast
        sws-lgb sws-ls sws-scaler target-colorspace-hint target-contrast target-gamut target-lut target-peak
        target-prim target-trc taskbar-progress teletext-page temporal-dither temporal-dither-period term-osd
        term-osd-bar term-osd-bar-chars term-title tls-cert-file tls-key-file tone-mapping tone-mapping-crosstalk
        tone-mapping-max-boost tone-mapping-mode tone-mapping-param tone-mapping-visualize track-auto-selection
        tscale tscale-antiring tscale-blur tscale-clamp tscale-cutoff tscale-param1 tscale-param2 tscale-radius
        tscale-taper tscale-wblur tscale-window tscale-wparam tscale-wtaper use-embedded-icc-profile
        use-filedir-conf vaapi-device vd vd-lavc-assume-old-x264 vd-lavc-bitexact vd-lavc-check-hw-profile
        vd-lavc-dr vd-lavc-fast vd-lavc-film-grain vd-lavc-framedrop vd-lavc-o vd-lavc-show-all vd-lavc-skipframe
        vd-lavc-skipidct vd-lavc-skiploopfilter vd-lavc-software-fallback vd-queue-enable vd-queue-max-bytes
        vd-queue-max-samples vd-queue-max-secs vf video-align-x video-align-y video-aspect-method
        video-backward-batch video-backward-overlap video-crop video-exts video-latency-hacks
        video-margin-ratio-bottom video-margin-ratio-left video-margin-ratio-right video-margin-ratio-top video-osd
        video-output-levels video-pan-x video-pan-y video-recenter video-reversal-buffer video-scale-x video-scale-y
        video-sync video-sync-max-audio-change video-sync-max-factor video-sync-max-video-change video-timing-offset
        video-unscaled video-zoom vlang vo-image-format vo-image-high-bit-depth vo-image-jpeg-quality
        vo-image-jpeg-source-chroma vo-image-jxl-distance vo-image-jxl-effort vo-image-outdir
        vo-image-png-compression vo-image-png-filter vo-image-tag-colorspace vo-image-webp-compression
        vo-image-webp-lossless vo-image-webp-quality vo-null-fps vo-sixel-cols vo-sixel-dither vo-sixel-exit-clear
        vo-sixel-fixedpalette vo-sixel-height vo-sixel-left vo-sixel-pad-x vo-sixel-pad-y vo-sixel-reqcolors
        vo-sixel-rows vo-sixel-threshold vo-sixel-top vo-sixel-width vo-tct-algo vo-tct-height
        vo-tct-width vo-vaapi-scaled-osd vo-vaapi-scaling vo-vdpau-chroma-deint vo-vdpau-colorkey
        vo-vdpau-composite-detect vo-vdpau-denoise vo-vdpau-force-yuv vo-vdpau-fps vo-vdpau-hqscaling
        vo-vdpau-output-surfaces vo-vdpau-pullup vo-vdpau-queuetime-fs vo-vdpau-queuetime-windowed vo-vdpau-sharpen
        vulkan-async-compute vulkan-async-transfer vulkan-device vulkan-display-display vulkan-display-mode
        vulkan-display-plane vulkan-queue-count vulkan-swap-mode wasapi-exclusive-buffer watch-later-options
        wayland-app-id wayland-configure-bounds wayland-content-type wayland-disable-vsync
        wayland-edge-pixels-pointer wayland-edge-pixels-touch window-corners
        write-filename-in-watch-later-config x11-bypass-compositor x11-name x11-netwm xv-adaptor
        xv-buffers xv-ck xv-ck-method xv-colorkey xv-port ytdl ytdl-format ytdl-raw-options zimg-dither zimg-fast
        zimg-scaler zimg-scaler-chroma zimg-scaler-chroma-param-a zimg-scaler-chroma-param-b zimg-scaler-param-a
        zimg-scaler-param-b zimg-threads
        """
}
