import SharedFrames
import SystemCalls
import VideoOutput

/// The animation of the picture from the program's window to the floating window, or back.
struct PictureFlight {
    let window: FlightWindow
    let isLanding: Bool
    /// The animation has reached the floating window, which is being mapped below it.
    var isHandingOver = false
    /// The host time at which the animation ends in any case.
    var end: Int64

    /// Nanoseconds within which the animation's window must appear. A window may never appear, for example while the
    /// screen is locked.
    static let patience: Int64 = 500_000_000
    /// Nanoseconds for which the animation's window stays over the drawn floating window, so that a compositing manager
    /// has time to show that window.
    static let handingOver: Int64 = 50_000_000

    /// Notes that the floating window below has its picture.
    mutating func windowIsReady() { if isHandingOver { end = min(end, MonotonicTime.now + Self.handingOver) } }

    init(_ window: FlightWindow, isLanding: Bool) {
        self.window = window
        self.isLanding = isLanding
        end = MonotonicTime.now + Self.patience + Glide.usual
    }

    var nextTick: Int64 { min(window.isExposed && !isHandingOver ? window.nextTick : end, end) }
}

extension PiPWindow {
    /// Returns whether an animation between two rectangles is allowed: neither is larger than the screen.
    ///
    /// An animation allocates memory for the larger rectangle, and the program chooses one of the two.
    func canFly(between one: PixelRect, and other: PixelRect) -> Bool {
        [one, other].allSatisfy { $0.width <= connection.screenSize.width && $0.height <= connection.screenSize.height }
    }

    /// Starts the return animation from the current rectangle to the picture's rectangle in the program's window.
    func land(on place: PixelRect) -> [Outcome] {
        let from = flight?.window.place ?? frame
        guard !isSuspended, canFly(between: place, and: from) else { return [.landed] }
        glide = nil
        gesture.cancel()
        let made = FlightWindow(connection: connection, glide: Glide(from: from, to: place, began: 0))
        departed = flight?.window
        flight = PictureFlight(made, isLanding: true)
        made.map()
        return [.needsRedraw]
    }

    /// Whether the return animation runs and covers less than an eighth of the program's layer, so that the layer is
    /// visible.
    var isLayerInView: Bool {
        guard let flight, flight.isLanding else { return false }
        let place = flight.window.destination
        return flight.window.place.sharedArea(with: place) < place.width * place.height / 8
    }

    var isLanding: Bool { flight?.isLanding == true }

    func flightExposed() -> [Outcome] {
        guard let flight else { return [] }
        let isFirst = !flight.window.isExposed, isPainted = flight.window.markExposed()
        if isFirst { flight.window.begin(at: MonotonicTime.now) }
        return (isPainted ? [] : [.needsRedraw]) + (isFirst && !flight.isLanding ? [.exposed] : [])
    }

    func fly(now: Int64) -> [Outcome] {
        guard var flight else { return [] }
        if now >= flight.end {
            if flight.isLanding { return [.landed] }
            if flight.isHandingOver {
                departed = flight.window
                self.flight = nil
                return [.needsRedraw]
            }
            return handOver(&flight, now: now)
        }
        guard !flight.isHandingOver else { return [] }
        if flight.window.isOver(at: now) { return flight.isLanding ? [.landed] : handOver(&flight, now: now) }
        return flight.window.tick(now: now) ? [.needsRedraw] : []
    }

    /// Maps the floating window below the animation's window, which it replaces.
    private func handOver(_ flight: inout PictureFlight, now: Int64) -> [Outcome] {
        flight.isHandingOver = true
        flight.end = now + PictureFlight.patience
        self.flight = flight
        // A window manager stacks the window by its own rules; `markExposed` raises the animation again.
        connection.hasWindowManager ? window.map() : window.map(below: flight.window.id)
        flight.window.raise()
        return [.needsRedraw]
    }
}
