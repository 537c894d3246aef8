/// When the controls of a window, and the pointer over it, are seen: a pure state machine. Times are host nanoseconds.
struct ControlsVisibility: Sendable {
    enum Input: Equatable, Sendable {
        /// The pointer moved, or a key asks for the controls. Over the controls they stay.
        case pointed(isOverControls: Bool)
        case left
        /// Something is held: a part of the scrubber, say.
        case held(Bool)
        /// Whether the controls may be seen at all.
        case allowed(Bool)
        case tick
    }

    enum Action: Equatable, Sendable {
        /// 0: nothing is drawn.
        case setOpacity(Double)
        /// Nobody has moved for a while: in full screen the pointer is hidden, too.
        case setIdle(Bool)
    }

    /// How long they stay after the last movement, and after the pointer has left.
    static let patience: Int64 = 2_500_000_000
    static let leavePatience: Int64 = 500_000_000
    private static let stepTime: Int64 = 60_000_000
    private static let steps = 3

    private var step = 0
    private var isAwake = false
    private var isAllowed = true
    private var isOver = false
    private var isHeld = false
    private var sleepsAt: Int64?
    private var stepsAt: Int64?

    var opacity: Double { Double(step) / Double(Self.steps) }
    var isIdle: Bool { !isAwake }
    /// When ``Input/tick`` is wanted; nil: not before something happens.
    var wakesAt: Int64? { [sleepsAt, stepsAt].compactMap(\.self).min() }

    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        let before = (step: step, isAwake: isAwake)
        switch input {
        case .pointed(let isOverControls):
            isOver = isOverControls
            stay(now, Self.patience)
        case .left:
            isOver = false
            if isAwake, !isHeld { sleepsAt = min(sleepsAt ?? .max, now + Self.leavePatience) }
        case .held(let held):
            guard isHeld != held else { break }
            isHeld = held
            stay(now, Self.patience)
        case .allowed(let allowed):
            guard isAllowed != allowed else { break }
            isAllowed = allowed
            // What must not be seen goes at once; what may be seen again waits to be asked for.
            (step, stepsAt, isHeld) = (0, nil, false)
            if allowed {
                (isAwake, sleepsAt) = (false, nil)
            } else if isAwake {
                sleepsAt = sleepsAt ?? now + Self.patience
            }
        case .tick: break
        }
        advance(now)
        return (step == before.step ? [] : [.setOpacity(opacity)])
            + (isAwake == before.isAwake ? [] : [.setIdle(!isAwake)])
    }

    private mutating func stay(_ now: Int64, _ time: Int64) {
        isAwake = true
        sleepsAt = isHeld || (isOver && isAllowed) ? nil : now + time
    }

    private mutating func advance(_ now: Int64) {
        if let time = sleepsAt, now >= time {
            isAwake = false
            sleepsAt = nil
        }
        let target = isAwake && isAllowed ? Self.steps : 0
        guard step != target else {
            stepsAt = nil
            return
        }
        if let time = stepsAt, now < time { return }
        // They come in two steps, and go in three.
        step = target == 0 ? step - 1 : max(step + 1, Self.steps - 1)
        stepsAt = step == target ? nil : now + Self.stepTime
    }
}
