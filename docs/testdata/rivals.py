# Prints the tables of docs/values.md about other programs: `python docs/testdata/rivals.py bin/phe`. It needs
# pip install pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 catboost==1.2.10 pyarrow==26.0.1 numpy==2.4.6
import csv, io, json, math, os, subprocess, sys, tempfile, warnings

import catboost
import duckdb
import numpy as np
import pandas as pd
import polars as pl

warnings.filterwarnings('ignore')
PHE = os.path.abspath(sys.argv[1])
os.chdir(tempfile.mkdtemp())

# inputs: (name on the page, fields, separator, name of the column, lines above the header)
TENTH = ['1.5', '2.5', '3.5', '4.5', '5.5', '6.5', '7.5', '8.5', '9.5']
INPUTS = [
    ('`1165.0` and empty fields', ['1165.0', '1170.0', '']),
    ('`TRUE`, `True`: %d values', ['TRUE', 'FALSE', 'True', 'False']),
    ('`007`, `7`: %d values', ['007', '7', '012', '123']),
    ('versions `1.1`, `1.10`: %d values', ['1.1', '1.10', '1.9', '2.0'], ',', 'version'),
    ('`NA` in a tenth of the numbers', TENTH + ['NA']),
    ('`None` or `<NA>` in a tenth', TENTH + TENTH + ['None', '<NA>']),
    ('`?` or `-` in a tenth', TENTH + TENTH + ['?', '-']),
    ('`13.4%`, `0%`', ['13.4%', '0%', '7.25%']),
    ('`12.5`, `12.50`, `1.25e1`: %d values', ['12.5', '12.50', '1.25e1', '7']),
    ('`$26.44`', ['$26.44', '$1.50', '$7.00']),
    ('`26,440.92`', ['"26,440.92"', '"1,250.00"', '3.75']),
    ('`66,22`, `1.234,5`', ['66,22', '1.234,5', '7,25'], ';'),
    ('one word among 8,000 numbers', ['%.2f' % (i / 7) for i in range(7900)] + ['unknown'] + ['%.2f' % (i / 7) for i in range(99)]),
    ('`2026-03-25T12:00:00Z`', ['2026-03-25T12:00:00Z', '2026-03-25T13:30:00Z']),
    ('`25.03.2026`', ['25.03.2026', '01.02.2026']),
    ('`07-Jan-18`', ['07-Jan-18', '25-Mar-18']),
    ('`January 7, 2018`', ['"January 7, 2018"', '"March 25, 2018"']),
    ('`[10/Oct/2000:13:55:36 -0700]`', ['[10/Oct/2000:13:55:36 -0700]', '[11/Oct/2000:09:05:00 -0700]']),
    ('`1772323620000` under `ts`', ['1772323620000', '1772423620000'], ',', 'ts'),
    ('`Größe` in composed and in decomposed letters: %d values', ['Gr\u00f6\u00dfe', 'Gro\u0308\u00dfe', 'Farbe']),
    ('`9007199254740993`', ['9007199254740993', '9007199254740992', '17']),
    ('`sep=;` above the header', ['1', '2', '3'], ';', 'x', 'sep=;\n'),
    ('a comment above the header', ['1', '2', '3'], ',', 'x', '# made by hand\n'),
    ('a title and an empty line above the header', ['1', '2', '3'], ',', 'x', 'Sales report\n\n'),
    ('a second header in the middle', ['1', '2', '3'] * 66 + ['x'] + ['1', '2', '3'] * 66),
]


def write(fields, sep=',', name='x', above=''):
    n = max(400, len(fields))
    rows = [fields[i % len(fields)] for i in range(n)]
    with open('t.csv', 'w', encoding='utf-8') as f:
        f.write(above + name + sep + 'k\n' + ''.join(
            a + sep + ('k' if a == 'x' else 'k%d' % (i * i % 7 % 2)) + '\n' for i, a in enumerate(rows)))
    return name, sep


# cell says how a program reads the column, and how many values it finds in the inputs that are about this
def cell(column, name, values, kind):
    if column != name:
        return '**wrong columns**'
    few = len({v for v in values if v == v and v is not None})
    return kind + (', %d values' % few if counted else '')


KIND = [('bool', 'truth'), ('datetime', 'time'), ('timestamp', 'time'), ('date', 'time'), ('int', 'number'),
        ('float', 'number'), ('double', 'number')]


def kind(of):
    return next((k for word, k in KIND if word in str(of).lower()), 'words')


def pandas(name, sep):
    d = pd.read_csv('t.csv', sep=sep)
    return cell(d.columns[0], name, d.iloc[:, 0].tolist(), kind(d.dtypes.iloc[0]))


def polars(name, sep):
    d = pl.read_csv('t.csv', separator=sep, try_parse_dates=True)
    return cell(d.columns[0], name, d.to_series(0).to_list(), kind(d.dtypes[0]))


def duck(name, sep):
    d = duckdb.sql("select * from read_csv('t.csv')")
    return cell(d.columns[0], name, [r[0] for r in d.fetchall()], kind(d.types[0]))


def gophe(name, sep):
    run = lambda *a: subprocess.run([PHE, *a], capture_output=True, text=True)
    schema = json.loads(run('stream', 't.csv', '--target', 'k', '--keep', name, '--show-schema').stdout)
    c = next((c for c in schema['columns'] if c['name'] == name), None)
    if c is None:
        return '**wrong columns**'
    out = run('stream', 't.csv', '--target', 'k', '--keep', name, '--model', 't.phe', '--force')
    text = out.stdout + out.stderr
    what = {'numbers': 'number', 'times': 'time', 'text': 'words', 'truth': 'truth'}[c['reading'].split(',')[0]]
    if 'is missing' in c.get('note', ''):
        what += '; they are missing'
    if 'something else' in c.get('note', ''):
        what += '; the word is named'
    if 'above its header' in text or 'copies of the header' in text or 'copy of the header' in text:
        what += '; said'
    if counted:
        columns = json.loads(run('inspect', 't.phe', '--json').stdout)['columns']
        what += ', %d values' % round(next(c['different'] for c in columns if c['name'] == name))
    return what


def attempt(read, name, sep):
    try:
        return read(name, sep)
    except Exception as e:
        return '**error**'


def spellings():
    print('| a column of CSV | pandas %s | polars %s | DuckDB %s | gophe |' % (pd.__version__, pl.__version__, duckdb.__version__))
    print('|---|---|---|---|---|')
    global counted
    for what, *how in INPUTS:
        name, sep = write(*how)
        counted = '%d' in what
        print('| %s | %s |' % (what.replace(': %d values', ''), ' | '.join(
            attempt(read, name, sep) for read in (pandas, polars, duck, gophe))))


# one DataFrame, written as CSV, Parquet and JSON lines, and read again by pandas for CatBoost
def doors():
    r = np.random.default_rng(1)
    n = 6000
    user, grade = r.integers(0, 40, n), r.integers(1, 6, n)
    effect, of = r.normal(0, 1.5, 40), r.normal(0, 1.2, 6)
    df = pd.DataFrame({'user': user + 1000, 'flag': r.random(n) < .5, 'grade': pd.array(grade, dtype='Int64'),
                       'cat': pd.Categorical(r.choice(['a', 'b'], n))})
    df['y'] = (r.random(n) < 1 / (1 + np.exp(-effect[user] - of[grade] - np.where(df.flag, 1, -1)))).astype(int)
    df.loc[r.random(n) < .02, 'grade'] = pd.NA
    for name, part in ('a', df[:5000]), ('q', df[5000:].drop(columns='y')):
        part.to_csv(name + '.csv', index=False)
        part.to_parquet(name + '.parquet')
        part.to_json(name + '.jsonl', orient='records', lines=True)
    y = df.y[5000:].tolist()
    loss = lambda p: sum(-math.log(max(1e-9, a if t else 1 - a)) for a, t in zip(p, y)) / len(y)
    read = {'csv': pd.read_csv, 'parquet': pd.read_parquet, 'jsonl': lambda f: pd.read_json(f, lines=True)}
    words = lambda d: d[['user', 'flag', 'grade', 'cat']].astype(object).map(str)
    print('\n| learned from | CatBoost %s | gophe |' % catboost.__version__)
    print('|---|---|---|')
    for a in read:
        d = read[a]('a.' + a)
        m = catboost.CatBoostClassifier(iterations=60, verbose=0, cat_features=['user', 'flag', 'grade', 'cat'],
                                        thread_count=1, random_seed=1)
        m.fit(words(d), d.y)
        subprocess.run([PHE, 'stream', 'a.' + a, '--target', 'y', '--model', 'd.phe', '--force'], capture_output=True, check=True)
        rival, own = [], []
        for q in read:
            out = subprocess.run([PHE, 'predict', 'd.phe', 'q.' + q], capture_output=True, text=True, check=True).stdout
            own.append('%.4f' % loss([float(row['probability']) for row in csv.DictReader(io.StringIO(out))]))
            rival.append('%.4f' % loss(m.predict_proba(words(read[q]('q.' + q)))[:, 1]))
        print('| %s | %s | %s |' % (a, ', '.join(rival), ', '.join(own)))


spellings()
doors()
