import MediaPipeline
import SwiftPlayKit

/// The commands that change properties.
extension PlayerCommand {
    static let properties: [PlayerCommand] = [
        PlayerCommand("set", "name:String value:String") { target, arguments throws(IPCError) in
            try target.set(try arguments.text(0), .string(try arguments.text(1)))
            return nil
        },
        PlayerCommand("add", "name:String value:Double?") { target, arguments throws(IPCError) in
            try add(target, try arguments.text(0), try arguments.number(1, default: 1))
            return nil
        },
        PlayerCommand("multiply", "name:String value:Double") { target, arguments throws(IPCError) in
            let name = try arguments.text(0), factor = try arguments.number(1)
            guard let number = target.number(name), let range = target.range(of: name) else {
                throw .commandFailed
            }
            try target.set(name, .double(min(max(number * factor, range.lowerBound), range.upperBound)))
            return nil
        },
        PlayerCommand("cycle", "name:String value:up|down?") { target, arguments throws(IPCError) in
            let name = try arguments.text(0), direction = try arguments.text(1, default: "up")
            let step = try direction == "up" ? 1 : direction == "down" ? -1 : arguments.number(1)
            try cycle(target, name, by: step < 0 ? -1 : 1)
            return nil
        },
        PlayerCommand("cycle-values", "name:String values:String*") { target, arguments throws(IPCError) in
            var words: [String] = []
            for index in arguments.values.indices { words.append(try arguments.text(index)) }
            let isBackward = words.first == "!reverse"
            if isBackward { words.removeFirst() }
            guard let name = words.first, words.count > 1 else { throw .invalidParameter }
            let values = words.dropFirst() as ArraySlice<String>
            let currentValue = try? target.getProperty(name)
            try target.set(name, .string(nextValue(after: currentValue, in: Array(values), isBackward: isBackward)))
            return nil
        },
        PlayerCommand("del", "name:String") { target, arguments throws(IPCError) in
            guard let (property, path) = PropertyTable.find(try arguments.text(0)), property.name == "user-data" else {
                throw .commandFailed
            }
            try target.state.withLock { state throws(IPCError) in try state.userData.remove(at: path) }
            return nil
        },
    ]

    /// Executes `add`: changes a number within its range; switches any other property like `cycle`.
    private static func add(_ target: PlayerTarget, _ name: String, _ change: Double) throws(IPCError) {
        if name == "chapter" {
            guard target.player.currentItem?.chapters.isEmpty == false else { throw .commandFailed }
            return target.runOnMainQueue { $0.changeChapter(by: Int(min(max(change, -1000), 1000))) }
        }
        guard target.type(of: name) != nil else { throw .commandFailed }
        guard let range = target.range(of: name) else { return try cycle(target, name, by: change < 0 ? -1 : 1) }
        guard let number = target.number(name) else { throw .commandFailed }
        try target.set(name, .double(min(max(number + change, range.lowerBound), range.upperBound)))
    }

    /// Executes `cycle`: selects the next value (`step` is 1) or the previous one (`step` is -1).
    private static func cycle(_ target: PlayerTarget, _ name: String, by step: Int) throws(IPCError) {
        if name == "variant" { return target.player.cycleVariant(by: step) }
        if name == "secondary-sid" { return target.cycleSecondarySubtitles(by: step) }
        if let kind = PlayerTarget.trackKinds[name] {
            target.cycleTrack(kind, by: step)
            return
        }
        guard let type = target.type(of: name) else { throw .commandFailed }
        let currentValue: JSONValue
        do throws(IPCError) { currentValue = try target.getProperty(name) } catch { throw .commandFailed }
        switch type {
        case .flag: try target.set(name, .bool(currentValue != true))
        case .choice(let choices):
            let value = nextValue(after: currentValue, in: choices, isBackward: step < 0)
            try target.set(name, .string(value))
        case .integer(let range), .number(let range):
            guard let number = currentValue.numberValue else { throw .commandFailed }
            let sum = number + Double(step)
            try target.set(
                name, .double(range.contains(sum) ? sum : step > 0 ? range.lowerBound : range.upperBound))
        default: throw .commandFailed
        }
    }

    /// Returns the text after the one that equals `current`, or the first text if none does. With `isBackward`, the
    /// text before it, or the last text. `texts` must not be empty.
    static func nextValue(after current: JSONValue?, in texts: [String], isBackward: Bool) -> String {
        let index = texts.firstIndex { text in
            guard let current else { return false }
            if let number = current.numberValue { return Self.isEqual(text, number) }
            return current.propertyString == text
        }
        guard let index else { return isBackward ? texts[texts.count - 1] : texts[0] }
        return texts[(index + (isBackward ? texts.count - 1 : 1)) % texts.count]
    }

    /// Returns whether a text is a number, or a ratio such as `16:9`, that equals `number` apart from rounding.
    private static func isEqual(_ text: String, _ number: Double) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        switch (parts.count, parts[0], parts.last ?? nil) {
        case (1, let value?, _): return abs(value - number) < 1e-6
        case (2, let dividend?, let divisor?): return abs(dividend / divisor - number) < 1e-6
        default: return false
        }
    }
}

extension PlayerTarget {
    /// Sets a property for a command, which fails if the property cannot be set.
    fileprivate func set(_ name: String, _ value: JSONValue) throws(IPCError) {
        do throws(IPCError) { try setProperty(name, value) } catch { throw .commandFailed }
    }

    /// Returns the type of the property or option with a name; nil for parts of properties and for unknown names.
    fileprivate func type(of name: String) -> PropertyType? {
        (PropertyTable.properties[name] ?? PropertyTable.option(name))?.type
    }

    /// Returns the values to which `add` and `multiply` may set a property; nil if it is not a number.
    fileprivate func range(of name: String) -> ClosedRange<Double>? {
        name == "volume" ? 0...state.withLock { $0.settings.audio.maximumVolume } : type(of: name)?.range
    }

    /// Returns the value of a property that is a number now; nil for any other property.
    fileprivate func number(_ name: String) -> Double? { (try? getProperty(name))?.numberValue }
}

extension JSONValue {
    /// The number that this value is; nil for other types.
    var numberValue: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
