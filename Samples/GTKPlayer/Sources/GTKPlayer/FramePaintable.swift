import CFramePaintable
import CGTK
import Dispatch
import SwiftPlay
import Synchronization

/// The newest frame of a player's item, as a GdkPaintable for any widget of GTK.
@MainActor
final class FramePaintable {
    /// The GdkPaintable. This object owns a reference. `nonisolated(unsafe)`, because `deinit` releases it: the last
    /// reference to this object is released on the main thread.
    nonisolated(unsafe) let paintable: OpaquePointer
    private let player: Player
    private let output = PlayerItemVideoOutput()
    private let converter = FrameConverter()
    private var observation: Player.Observation?
    /// Returns the size of the area in which the frames are drawn, in device pixels; zero before the area has a size.
    var drawnSize: () -> VideoSize = { .zero }
    /// Called after the paintable has received a frame, which GTK draws next.
    var onFrame: () -> Void = {}

    /// Whether the paintable follows the film; if not, it keeps its frame and costs no processor time.
    var isRunning = true {
        didSet { if isRunning { showCurrentFrame() } else { converter.cancel() } }
    }

    /// Creates a paintable that shows the frames of an item.
    ///
    /// - Parameters:
    ///   - player: The player, which plays `item`.
    ///   - item: The item whose frames are shown.
    init(player: Player, item: PlayerItem) {
        guard let paintable = frame_paintable_new() else { fatalError("GObject always creates an object") }
        (self.paintable, self.player) = (paintable, player)
        item.add(output)
        converter.onPicture = { [unowned self] in show($0) }
        let isSignalPending = SignalFlag()
        // The observer is called on a thread of the player. While the main thread is busy, one signal is pending.
        observation = player.observeFrames { [weak self] in
            guard !isSignalPending.value.exchange(true, ordering: .acquiringAndReleasing) else { return }
            DispatchQueue.main.async {
                isSignalPending.value.store(false, ordering: .releasing)
                MainActor.assumeIsolated { self?.showCurrentFrame() }
            }
        }
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(paintable)) }

    /// Takes the frame that is due now and converts it to the size on screen.
    func showCurrentFrame() {
        let time = output.itemTime(forHostTime: Timebase.hostTime)
        guard isRunning, let (picture, _) = output.copyPixelBuffer(forItemTime: time) else { return }
        converter.convert(picture, to: targetSize(in: drawnSize()))
    }

    /// The size of the film in square pixels.
    private var filmSize: VideoSize { player.currentItem?.presentationSize ?? .zero }

    /// Returns the size of the largest picture with the film's shape inside `area`, but not larger than the film: GTK
    /// enlarges a small film when it draws.
    private func targetSize(in area: VideoSize) -> VideoSize {
        let film = filmSize, width = Double(max(film.width, 1)), height = Double(max(film.height, 1))
        let isKnown = area.width > 0 && area.height > 0
        let scale = isKnown ? min(1, Double(area.width) / width, Double(area.height) / height) : 1
        return VideoSize(width: max(1, Int((width * scale).rounded())), height: max(1, Int((height * scale).rounded())))
    }

    private func show(_ picture: PixelBuffer) {
        guard isRunning, let texture = makeTexture(of: picture) else { return }
        frame_paintable_show(paintable, texture, gint(filmSize.width), gint(filmSize.height))
        g_object_unref(UnsafeMutableRawPointer(texture))
        onFrame()
    }
}

/// Whether a signal for the main thread is pending.
private final class SignalFlag: Sendable {
    let value = Atomic(false)
}
