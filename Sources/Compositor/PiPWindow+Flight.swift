import SharedFrames
import SystemCalls
import VideoOutput

/// A picture that comes from the program's window, or goes back to it.
struct PictureFlight {
    let window: FlightWindow
    let isLanding: Bool
    /// It is where the window is, which is being put below it.
    var isHandingOver = false
    /// When it is over whatever happens.
    var end: Int64

    /// Nanoseconds that it may take until it is seen; a window that is never seen (a screen that is locked, say) is not
    /// waited for.
    static let patience: Int64 = 500_000_000
    /// Nanoseconds that it stays over the window whose picture is drawn, until that is surely seen, with a compositing
    /// manager in between too.
    static let handingOver: Int64 = 50_000_000

    /// The window below has its picture.
    mutating func windowIsReady() { if isHandingOver { end = min(end, MonotonicTime.now + Self.handingOver) } }

    init(_ window: FlightWindow, isLanding: Bool) {
        self.window = window
        self.isLanding = isLanding
        end = MonotonicTime.now + Self.patience + Glide.usual
    }

    var nextTick: Int64 { min(window.isExposed && !isHandingOver ? window.nextTick : end, end) }
}

extension PiPWindow {
    /// A picture on its way has memory for the larger of its two places, and a program names one of them: what is
    /// larger than the screen is not flown to.
    func canFly(between one: PixelRect, and other: PixelRect) -> Bool {
        [one, other].allSatisfy { $0.width <= connection.screenSize.width && $0.height <= connection.screenSize.height }
    }

    /// Flies back to the picture's place in the program's window, from where it is.
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

    /// It flies back and hides next to nothing yet of where it goes: what the program shows there is seen.
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

    /// The window takes over from the flight: it is mapped below it.
    private func handOver(_ flight: inout PictureFlight, now: Int64) -> [Outcome] {
        flight.isHandingOver = true
        flight.end = now + PictureFlight.patience
        self.flight = flight
        // A window manager has its own way of putting it on top: see `markExposed`.
        connection.hasWindowManager ? window.map() : window.map(below: flight.window.id)
        flight.window.raise()
        return [.needsRedraw]
    }
}
