import CGTK
import SwiftPlay

/// The window: the picture or its placeholder, and below it the controls. Knows no player: the closures report what
/// the user requests.
@MainActor
final class FilmWindow {
    /// The requests of the user.
    enum Request {
        case playOrPause, startOrStopPictureInPicture, close
        /// Continue at this time, in seconds.
        case seek(Double)
    }

    private let window: Widget
    private let pages: OpaquePointer
    private let picture: Widget
    private let controls: Widget
    private let playButton: Widget
    private let seekBar: Widget
    private let timeLabel: Widget
    private let pictureInPictureButton: Widget
    /// Handles the user's requests.
    var onRequest: (Request) -> Void = { _ in }

    init(application: UnsafeMutablePointer<GtkApplication>, title: String, paintable: OpaquePointer) {
        window = gtk_application_window_new(application)
        picture = gtk_picture_new_for_paintable(paintable)
        pages = OpaquePointer(gtk_stack_new())
        controls = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8)
        playButton = gtk_button_new_with_label("Play")
        seekBar = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 1)
        timeLabel = gtk_label_new("0:00")
        pictureInPictureButton = gtk_button_new_with_label("Picture-in-Picture")

        gtk_window_set_title(window.cast(), title)
        addPages()
        addControls()
        let column: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_box_append(column.cast(), Widget(pages))
        gtk_box_append(column.cast(), controls)
        gtk_window_set_child(window.cast(), column)
        connectSignals()
    }

    /// Adds the two pages of the area above the controls: the picture and the placeholder.
    private func addPages() {
        gtk_widget_set_hexpand(picture, gboolean(1))
        gtk_widget_set_vexpand(picture, gboolean(1))
        gtk_widget_set_size_request(picture, 320, 180)
        gtk_stack_add_named(pages, picture, "picture")
        let placeholder: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
        gtk_widget_set_valign(placeholder, GTK_ALIGN_CENTER)
        gtk_box_append(placeholder.cast(), gtk_label_new("The film plays in Picture-in-Picture."))
        let returnButton: Widget = gtk_button_new_with_label("Show it here")
        gtk_widget_set_halign(returnButton, GTK_ALIGN_CENTER)
        returnButton.onSignal("clicked") { [unowned self] in onRequest(.startOrStopPictureInPicture) }
        gtk_box_append(placeholder.cast(), returnButton)
        gtk_stack_add_named(pages, placeholder, "placeholder")
        gtk_widget_add_css_class(Widget(pages), "film")
        let style = gtk_css_provider_new()
        gtk_css_provider_load_from_data(style, ".film { background: black; color: white; }", -1)
        gtk_style_context_add_provider_for_display(
            gtk_widget_get_display(window), OpaquePointer(style), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    }

    private func addControls() {
        gtk_widget_set_margin_start(controls, 8)
        gtk_widget_set_margin_end(controls, 8)
        gtk_widget_set_margin_top(controls, 4)
        gtk_widget_set_margin_bottom(controls, 4)
        gtk_widget_set_hexpand(seekBar, gboolean(1))
        gtk_widget_set_size_request(playButton, 80, -1)
        gtk_widget_set_sensitive(pictureInPictureButton, gboolean(0))
        for widget in [playButton, seekBar, timeLabel, pictureInPictureButton] {
            gtk_box_append(controls.cast(), widget)
        }
    }

    private func connectSignals() {
        playButton.onSignal("clicked") { [unowned self] in onRequest(.playOrPause) }
        pictureInPictureButton.onSignal("clicked") { [unowned self] in onRequest(.startOrStopPictureInPicture) }
        let valueChanged: @convention(c) (gpointer?, GtkScrollType, Double, gpointer?) -> gboolean = {
            _, _, seconds, data in
            guard let data else { return 0 }
            MainActor.assumeIsolated {
                Unmanaged<FilmWindow>.fromOpaque(data).takeUnretainedValue().onRequest(.seek(seconds))
            }
            return 0
        }
        connectSignal(of: seekBar, "change-value", unsafeBitCast(valueChanged, to: GCallback.self), self)
        let closeRequested: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
            guard let data else { return 0 }
            MainActor.assumeIsolated { Unmanaged<FilmWindow>.fromOpaque(data).takeUnretainedValue().onRequest(.close) }
            return 0
        }
        connectSignal(of: window, "close-request", unsafeBitCast(closeRequested, to: GCallback.self), self)
    }

    /// The size of the area for the picture, in device pixels.
    var pictureSize: VideoSize {
        let scale = Int(gtk_widget_get_scale_factor(picture))
        return VideoSize(
            width: Int(gtk_widget_get_width(picture)) * scale, height: Int(gtk_widget_get_height(picture)) * scale)
    }

    /// Opens the window with the picture at its natural size, but not larger than 1280x720.
    func open(filmSize: VideoSize) {
        let scale = min(1, 1280 / Double(max(filmSize.width, 1)), 720 / Double(max(filmSize.height, 1)))
        var controlsHeight: gint = 0
        gtk_widget_measure(controls, GTK_ORIENTATION_VERTICAL, -1, nil, &controlsHeight, nil, nil)
        gtk_window_set_default_size(
            window.cast(), gint(Double(filmSize.width) * scale), gint(Double(filmSize.height) * scale) + controlsHeight)
        gtk_window_present(window.cast())
    }

    /// Shows the window above other windows, with the focus.
    func present() { gtk_window_present(window.cast()) }

    /// Shows the picture, or the placeholder for a picture that is elsewhere.
    func showPlaceholder(_ isPlaceholder: Bool) {
        gtk_stack_set_visible_child_name(pages, isPlaceholder ? "placeholder" : "picture")
        gtk_button_set_label(pictureInPictureButton.cast(), isPlaceholder ? "Show it here" : "Picture-in-Picture")
    }

    func setPictureInPicturePossible(_ isPossible: Bool) {
        gtk_widget_set_sensitive(pictureInPictureButton, gboolean(isPossible ? 1 : 0))
    }

    func setPlaying(_ isPlaying: Bool) { gtk_button_set_label(playButton.cast(), isPlaying ? "Pause" : "Play") }

    /// Shows a position, in seconds. A duration that is not finite disables the seek bar.
    func setTime(_ seconds: Double, duration: Double) {
        let isSeekable = duration.isFinite && duration > 0
        gtk_widget_set_sensitive(seekBar, gboolean(isSeekable ? 1 : 0))
        if isSeekable { gtk_range_set_range(seekBar.cast(), 0, duration) }
        gtk_range_set_value(seekBar.cast(), seconds)
        let (minutes, rest) = Int(max(0, seconds)).quotientAndRemainder(dividingBy: 60)
        gtk_label_set_text(OpaquePointer(timeLabel), "\(minutes):\(rest < 10 ? "0" : "")\(rest)")
    }

    /// Calls `body` after GTK has painted the next frame of the window. Not called while the window is not on screen.
    func afterNextPaint(_ body: @escaping @MainActor () -> Void) {
        let counter = PaintCounter(body)
        gtk_widget_add_tick_callback(
            window,
            { _, _, data in
                guard let data else { return 0 }
                return MainActor.assumeIsolated {
                    let counter = Unmanaged<PaintCounter>.fromOpaque(data).takeUnretainedValue()
                    // The callback runs before each paint: at the second call, the first paint is complete.
                    if counter.hasTicked { counter.body() }
                    defer { counter.hasTicked = true }
                    return gboolean(counter.hasTicked ? 0 : 1)
                }
            }, Unmanaged.passRetained(counter).toOpaque(),
            { data in if let data { Unmanaged<PaintCounter>.fromOpaque(data).release() } })
        gtk_widget_queue_draw(window)
    }
}

/// Waits for one paint of a window.
private final class PaintCounter {
    let body: @MainActor () -> Void
    var hasTicked = false
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}
